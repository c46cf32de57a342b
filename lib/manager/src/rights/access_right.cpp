#include <kubecoro/manager/access_right.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace kubecoro {
namespace {

/// In the order in which people write them; others follow.
constexpr std::string_view usual_order[] = {"get",    "list",  "watch",  "create",
                                            "update", "patch", "delete", "deletecollection"};

std::pair<std::ptrdiff_t, std::string_view> rank(std::string_view verb)
{
    return {std::find(std::begin(usual_order), std::end(usual_order), verb) - std::begin(usual_order), verb};
}

/// Group, resource, name, namespace: those of all namespaces come first.
using subject = std::tuple<std::string, std::string, std::string, std::string>;

std::vector<std::string> in_usual_order(const std::set<std::string>& verbs)
{
    std::vector<std::string> out(verbs.begin(), verbs.end());
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return rank(a) < rank(b); });
    return out;
}

} // namespace

access_right right_to(const resource_type& resource, std::vector<std::string> verbs, std::string_view subresource)
{
    auto plural = resource.plural;
    if (!subresource.empty()) plural.append("/").append(subresource);
    return {.group = resource.group, .resource = std::move(plural), .verbs = std::move(verbs)};
}

std::vector<access_right> merged(std::vector<access_right> rights)
{
    std::map<subject, std::set<std::string>> all;
    for (auto& r : rights) all[{r.group, r.resource, r.name, r.ns}].insert(r.verbs.begin(), r.verbs.end());
    std::vector<access_right> out;
    for (auto& [about, verbs] : all) {
        const auto& [group, resource, name, ns] = about;
        const auto drop_those_of = [&](const subject& wider) {
            const auto at = all.find(wider);
            if (at == all.end() || wider == about) return;
            std::erase_if(verbs, [&](const auto& v) { return at->second.contains(v); });
        };
        drop_those_of({group, resource, name, ""});
        drop_those_of({group, resource, "", ns});
        drop_those_of({group, resource, "", ""});
        if (verbs.empty()) continue;
        out.push_back({.group = group, .resource = resource, .verbs = in_usual_order(verbs), .ns = ns, .name = name});
    }
    return out;
}

std::string describe(const access_right& right)
{
    std::string out;
    for (const auto& v : right.verbs) out += (out.empty() ? "" : ", ") + v;
    out += " " + right.resource;
    if (!right.group.empty()) out += " of " + right.group;
    if (!right.name.empty()) out += " named " + right.name;
    return out + (right.ns.empty() ? "" : " in the namespace " + right.ns);
}

} // namespace kubecoro
