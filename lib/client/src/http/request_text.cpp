#include "http/request_text.hpp"

#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/base/printable.hpp>

#include <algorithm>
#include <array>

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

namespace {

constexpr std::array<std::string_view, 16> own{"authorization", "proxy-authorization", "host",         "user-agent",
                                               "accept",        "accept-encoding",     "content-type", "content-length",
                                               "connection",    "keep-alive",          "te",           "trailer",
                                               "upgrade",       "transfer-encoding",   "expect",       "cookie"};
constexpr std::size_t shown_name = 100;

std::string lower_name(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

bool is_own(const std::string& name)
{
    return name.starts_with("impersonate-") || std::find(own.begin(), own.end(), name) != own.end();
}

} // namespace

result<> check_headers(const header_list& headers)
{
    for (const auto& [name, value] : headers) {
        const auto wrong = [&, &shown = name](const char* why) {
            return failure(cond::misconfigured,
                           "client_options::headers: \"" + printable(shown, shown_name) + "\" " + why);
        };
        if (!is_header(name, value)) return wrong("has an invalid name or a control character in its value");
        if (is_own(lower_name(name))) return wrong("is set by the client itself");
    }
    return {};
}

void add_headers(request& r, const header_list& headers)
{
    for (const auto& [name, value] : headers) {
        const auto wanted = lower_name(name);
        const bool has = std::any_of(r.headers.begin(), r.headers.end(),
                                     [&](const auto& of_request) { return lower_name(of_request.first) == wanted; });
        if (!has) r.headers.emplace_back(name, value);
    }
}

namespace {

/// Keys of extra data may be any text: characters not allowed in a header name are percent-encoded.
std::string header_key(std::string_view key)
{
    constexpr std::string_view plain = "!#$&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    for (char c : key) {
        const auto byte = static_cast<unsigned char>(c);
        if (plain.find(c) != std::string_view::npos)
            out += c;
        else
            out.append({'%', digits[byte >> 4], digits[byte & 15]});
    }
    return out;
}

} // namespace

result<> check_impersonation(const user_info& as)
{
    if (!as.name.empty() || (as.uid.empty() && as.groups.empty() && as.extra.empty())) return {};
    return failure(cond::misconfigured, "as-uid, as-groups or as-user-extra is set without as, the user name");
}

std::vector<std::pair<std::string, std::string>> impersonation_headers(const user_info& as)
{
    KUBECORO_EXPECT(check_impersonation(as));
    std::vector<std::pair<std::string, std::string>> out;
    if (as.name.empty()) return out;
    out.emplace_back("Impersonate-User", as.name);
    if (!as.uid.empty()) out.emplace_back("Impersonate-Uid", as.uid);
    for (const auto& group : as.groups) out.emplace_back("Impersonate-Group", group);
    for (const auto& [key, values] : as.extra)
        for (const auto& value : values) out.emplace_back("Impersonate-Extra-" + header_key(key), value);
    return out;
}

} // namespace kubecoro::detail
