#include "check/used_rights_core.hpp"

#include <algorithm>

namespace kubecoro::testing::detail {
namespace {

std::string named(const std::string& verb, const std::string& group, const std::string& resource)
{
    return verb + " " + resource + (group.empty() ? "" : "." + group);
}

bool is_left_out(const access_right& r)
{
    return r.resource == "events" || r.resource == "leases" || r.resource.ends_with("/finalizers");
}

/// The verbs of create_or_update() and its like, of which each run needs others.
bool is_of_an_edit(const std::string& verb)
{
    return verb == "get" || verb == "create" || verb == "update" || verb == "patch";
}

} // namespace

void used_rights::add(const request_route& r, bool lists)
{
    const auto what = r.resource + (r.subresource.empty() ? "" : "/" + r.subresource);
    used_.insert(named(r.verb, r.group, what));
    if (lists) used_.insert(named("list", r.group, what));
}

std::vector<std::string> used_rights::unused(const std::vector<access_right>& declared) const
{
    std::set<std::string> out;
    for (const auto& r : declared) {
        if (is_left_out(r)) continue;
        const auto is_used = [&](const std::string& verb) {
            return is_of_an_edit(verb) && used_.contains(named(verb, r.group, r.resource));
        };
        const bool edits = std::any_of(r.verbs.begin(), r.verbs.end(), is_used);
        for (const auto& verb : r.verbs)
            if (auto name = named(verb, r.group, r.resource); !used_.contains(name) && !(edits && is_of_an_edit(verb)))
                out.insert(std::move(name));
    }
    return {out.begin(), out.end()};
}

} // namespace kubecoro::testing::detail
