#include "verbs/authorizer.hpp"

#include <algorithm>
#include <string_view>

namespace kubecoro::apiserver {

role_rule as_role_rule(const access_rule& rule)
{
    role_rule out{{rule.verb.empty() ? "*" : rule.verb}, {"*"}, {}, {}, {}};
    const std::string_view wanted = rule.resource.empty() ? "*" : std::string_view(rule.resource);
    const auto slash = std::min(wanted.find('/'), wanted.size());
    const auto dot = wanted.substr(0, slash).find('.');
    if (dot == std::string_view::npos) {
        out.resources.emplace_back(wanted);
    } else {
        out.groups.front() = wanted.substr(dot + 1, slash - dot - 1);
        out.resources.push_back(std::string(wanted.substr(0, dot)) + std::string(wanted.substr(slash)));
    }
    if (rule.resource.empty()) out.paths.emplace_back("*");
    return out;
}

} // namespace kubecoro::apiserver
