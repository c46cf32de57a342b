#include "verbs/target.hpp"

#include <boost/url/parse.hpp>

#include <algorithm>

namespace kubecoro::apiserver {

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
        if (k == key && !v.empty()) all.push_back(v);
    return all;
}

bool parsed_target::flag(std::string_view key) const noexcept
{
    if (!has(key)) return false;
    const auto v = value(key);
    return v != "0" && v != "false" && v != "False" && v != "FALSE";
}

std::optional<parsed_target> parse_target(std::string_view target)
{
    const auto url = boost::urls::parse_origin_form(boost::urls::string_view(target.data(), target.size()));
    if (!url) return {};
    parsed_target out;
    out.path = target.substr(0, target.find('?'));
    for (const auto segment : url->segments()) out.segments.emplace_back(segment.begin(), segment.end());
    while (!out.segments.empty() && out.segments.back().empty()) out.segments.pop_back();
    for (const auto param : url->params())
        out.query.emplace_back(std::string(param.key.begin(), param.key.end()),
                               std::string(param.value.begin(), param.value.end()));
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
