#include "http/extra_headers.hpp"

#include "http/request_text.hpp"

#include <kubecoro/base/printable.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace kubecoro::detail {

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

} // namespace kubecoro::detail
