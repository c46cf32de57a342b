#include "http/request_text.hpp"

#include <algorithm>

namespace kubecoro::detail {

namespace {

bool is_token(std::string_view text) noexcept
{
    constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
    return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               marks.find(c) != std::string_view::npos;
    });
}

bool is_target(std::string_view text) noexcept
{
    return !text.empty() && text.front() == '/' &&
           std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

bool is_field_value(std::string_view text) noexcept
{
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return c == '\t' || (static_cast<unsigned char>(c) >= ' ' && c != 0x7f); });
}

} // namespace

bool is_header(std::string_view name, std::string_view value) noexcept
{
    return is_token(name) && is_field_value(value);
}

result<std::string> request_text(const request& r, std::string_view host, std::string_view prefix)
{
    if (!is_token(r.method)) return failure(cond::invalid, "the request's method is not an HTTP method");
    if (!is_target(r.target))
        return failure(cond::invalid, "the request's target is not a path with percent-encoded text");
    std::string out;
    out.reserve(512 + r.target.size() + r.body.size());
    out.append(r.method).append(" ").append(prefix).append(r.target).append(" HTTP/1.1\r\n");
    bool good = true;
    const auto header = [&](std::string_view name, std::string_view value) {
        good = good && is_header(name, value);
        out.append(name).append(": ").append(value).append("\r\n");
    };
    header("Host", host);
    if (!r.accept.empty()) header("Accept", r.accept);
    for (const auto& [name, value] : r.headers) header(name, value);
    if (!r.content_type.empty()) header("Content-Type", r.content_type);
    if (!r.body.empty() || r.method == "POST" || r.method == "PUT" || r.method == "PATCH")
        header("Content-Length", std::to_string(r.body.size()));
    // The value is not shown, because it may be a credential.
    if (!good)
        return failure(cond::invalid, "a header of the request contains a control character or has an invalid name");
    out.append("\r\n").append(r.body);
    return out;
}

} // namespace kubecoro::detail
