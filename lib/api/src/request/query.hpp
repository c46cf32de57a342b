#pragma once
// Parts that all requests are made of: query parameters with their percent-encoding, method, target and body.

#include <kubecoro/api/request.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace kubecoro::detail {

[[nodiscard]] inline bool is_unreserved(char c) noexcept
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_' || c == '~';
}

inline void append_percent(std::string& out, char c)
{
    static constexpr char hex[] = "0123456789ABCDEF";
    const auto u = static_cast<unsigned char>(c);
    out += '%';
    out += hex[u >> 4];
    out += hex[u & 15];
}

inline constexpr std::string_view json_type = "application/json";

/// Query parameters; callers add them in alphabetical order, so that equal requests have equal text.
class query
{
public:
    query& add(std::string_view name, std::string_view value)
    {
        text_ += text_.empty() ? '?' : '&';
        text_ += name;
        text_ += '=';
        text_ += encode_query_value(value);
        return *this;
    }
    query& add_unless_empty(std::string_view name, std::string_view value)
    {
        return value.empty() ? *this : add(name, value);
    }
    query& add_if(bool wanted, std::string_view name, std::string_view value)
    {
        return wanted ? add(name, value) : *this;
    }
    [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
    std::string text_;
};

[[nodiscard]] inline request make_request(std::string method, std::string target)
{
    request r;
    r.method = std::move(method);
    r.target = std::move(target);
    return r;
}

[[nodiscard]] inline request make_request(std::string method, std::string target, std::string_view content_type,
                                          std::string body)
{
    request r = make_request(std::move(method), std::move(target));
    r.content_type = content_type;
    r.body = std::move(body);
    return r;
}

/// The parameters of a write.
[[nodiscard]] query write_query(const write_options& o);

} // namespace kubecoro::detail
