#include "request/target.hpp"

#include <boost/url/pct_string_view.hpp>

#include <algorithm>

namespace kubecoro::apiserver {
namespace {

/// @return nothing if a percent sign is not followed by two digits.
std::optional<std::string> decoded(std::string_view text, bool plus_is_space)
{
    const auto escaped = boost::urls::make_pct_string_view(text);
    if (!escaped) return {};
    boost::urls::encoding_opts how;
    how.space_as_plus = plus_is_space;
    return escaped->decode(how);
}

std::vector<std::string> segments_of(std::string_view path)
{
    std::vector<std::string> out;
    if (!path.empty()) path.remove_prefix(1);
    while (path.ends_with('/')) path.remove_suffix(1);
    while (!path.empty()) {
        const auto slash = path.find('/');
        out.emplace_back(path.substr(0, slash));
        path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    }
    return out;
}

} // namespace

bool parsed_target::has(std::string_view key) const noexcept
{
    return std::any_of(query.begin(), query.end(), [&](const auto& q) { return q.first == key; });
}

std::string_view parsed_target::value(std::string_view key) const noexcept
{
    for (const auto& [k, v] : query)
        if (k == key) return v;
    return {};
}

std::vector<std::string> parsed_target::values(std::string_view key) const
{
    std::vector<std::string> all;
    for (const auto& [k, v] : query)
        if (k == key) all.push_back(v);
    return all;
}

bool parsed_target::flag(std::string_view key) const noexcept
{
    if (!has(key)) return false;
    const auto v = value(key);
    constexpr std::string_view no = "false";
    const bool is_no = std::equal(v.begin(), v.end(), no.begin(), no.end(), [](char a, char b) {
        return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
    });
    return v != "0" && !is_no;
}

std::optional<parsed_target> parse_target(std::string_view target)
{
    const bool printable = std::none_of(target.begin(), target.end(),
                                        [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; });
    if (!target.starts_with('/') || !printable) return {};
    const auto mark = target.find('?');
    auto path = decoded(target.substr(0, mark), false);
    if (!path) return {};
    parsed_target out;
    out.path = std::move(*path);
    out.segments = segments_of(out.path);
    auto rest = mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
    while (!rest.empty()) {
        const auto pair = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
        const auto equals = pair.find('=');
        auto key = decoded(pair.substr(0, equals), true);
        auto value = decoded(equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1), true);
        // A pair that cannot be read is left out, as by net/url.
        if (pair.empty() || pair.find(';') != std::string_view::npos || !key || !value) continue;
        out.query.emplace_back(std::move(*key), std::move(*value));
    }
    return out;
}

api_route route_of(const parsed_target& target)
{
    api_route r;
    const auto& s = target.segments;
    std::size_t at = 0;
    if (s.size() >= 3 && s[0] == "api") {
        r.version = s[1];
        at = 2;
    } else if (s.size() >= 4 && s[0] == "apis") {
        r.group = s[1];
        r.version = s[2];
        at = 3;
    } else {
        return r;
    }
    if (s[at] == "watch" && s.size() > at + 1) {
        r.watch_prefix = true;
        ++at;
    }
    if (s[at] == "namespaces" && s.size() > at + 1) {
        const bool own_part = s.size() == at + 3 && (s[at + 2] == "status" || s[at + 2] == "finalize");
        if (s.size() > at + 2 && !own_part) {
            r.ns = s[at + 1];
            at += 2;
        }
    }
    r.is_resource = true;
    r.plural = s[at];
    if (s.size() > at + 1) r.name = s[at + 1];
    if (s.size() > at + 2) r.subresource = s[at + 2];
    r.too_long = s.size() > at + 3;
    return r;
}

} // namespace kubecoro::apiserver
