#include "world/stale_reads.hpp"

#include <algorithm>
#include <charconv>

namespace kubecoro::testing::detail {
namespace {

struct part
{
    std::size_t begin;
    std::size_t end;
};

/// The place of `name=value` in the query.
std::optional<part> find(std::string_view target, std::string_view name)
{
    for (auto at = target.find('?'); at != std::string_view::npos; at = target.find('&', at + 1)) {
        const auto rest = target.substr(at + 1);
        if (rest.starts_with(name) && rest.substr(name.size()).starts_with('='))
            return part{at + 1, std::min(target.find('&', at + 1), target.size())};
    }
    return std::nullopt;
}

std::optional<std::string> value(std::string_view target, std::string_view name)
{
    const auto at = find(target, name);
    if (!at) return std::nullopt;
    const auto begin = at->begin + name.size() + 1;
    return std::string(target.substr(begin, at->end - begin));
}

std::string without(std::string target, std::string_view name)
{
    if (const auto at = find(target, name)) target.erase(at->begin - 1, at->end - at->begin + 1);
    if (target.find('?') == std::string::npos)
        if (const auto first = target.find('&'); first != std::string::npos) target[first] = '?';
    return target;
}

std::uint64_t number(std::string_view text)
{
    std::uint64_t n = 0;
    std::from_chars(text.data(), text.data() + text.size(), n);
    return n;
}

} // namespace

std::string status_text(int code, std::string_view reason, std::string_view message)
{
    return R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":")" + std::string(message) +
           R"(","reason":")" + std::string(reason) + R"(","code":)" + std::to_string(code) + "}";
}

std::string paged_at_zero(std::string target)
{
    const bool at_zero = value(target, "resourceVersion") == "0" && find(target, "limit");
    return at_zero ? without(std::move(target), "resourceVersion") : target;
}

std::optional<std::string> stale_list(const std::string& target, std::uint64_t cache)
{
    const auto version = value(target, "resourceVersion");
    const auto match = value(target, "resourceVersionMatch").value_or("");
    const bool is_exact = match == "Exact" || (match.empty() && version != "0" && find(target, "limit"));
    if (cache == 0 || !version || is_exact) return std::nullopt;
    // The cache ignores the limit of a list at version 0.
    auto out = version == "0" ? without(target, "limit") : target;
    out = without(without(std::move(out), "resourceVersion"), "resourceVersionMatch");
    out += out.find('?') == std::string::npos ? '?' : '&';
    return out + "resourceVersion=" + std::to_string(std::max(cache, number(*version))) + "&resourceVersionMatch=Exact";
}

bool is_refused_watch(std::string_view target, std::uint64_t cache)
{
    const auto version = number(value(target, "resourceVersion").value_or(""));
    return version != 0 && version <= cache && !find(target, "sendInitialEvents");
}

std::string refused_event() { return R"({"type":"ERROR","object":)" + status_text(410, "Expired") + "}\n"; }

} // namespace kubecoro::testing::detail
