#include "auth/impersonation.hpp"

#include <string_view>

namespace kubecoro::detail {

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

result<> check_impersonation(const impersonation& as)
{
    if (!as.user.empty() || (as.uid.empty() && as.groups.empty() && as.extra.empty())) return {};
    return failure(cond::misconfigured, "as-uid, as-groups or as-user-extra is set without as, the user name");
}

std::vector<std::pair<std::string, std::string>> impersonation_headers(const impersonation& as)
{
    std::vector<std::pair<std::string, std::string>> out;
    if (as.user.empty()) return out;
    out.emplace_back("Impersonate-User", as.user);
    if (!as.uid.empty()) out.emplace_back("Impersonate-Uid", as.uid);
    for (const auto& group : as.groups) out.emplace_back("Impersonate-Group", group);
    for (const auto& [key, value] : as.extra) out.emplace_back("Impersonate-Extra-" + header_key(key), value);
    return out;
}

} // namespace kubecoro::detail
