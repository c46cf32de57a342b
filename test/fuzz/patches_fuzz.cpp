// Reads arbitrary JSON as three versions of an object: patches between them give what is wanted, and never fail in another way than
// by being refused.
#include "fuzz.hpp"

#include "patch/patch.hpp"

#include <kubecoro/api/patch.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

using namespace kubecoro;
namespace json = boost::json;

namespace {

/// Drops what a patch cannot set: null members, and names that would be directives.
void settle(json::value& v)
{
    if (auto* list = v.if_array()) {
        for (auto& item : *list) settle(item);
        return;
    }
    auto* object = v.if_object();
    if (!object) return;
    std::vector<std::string> gone;
    for (auto& [name, member] : *object) {
        if (member.is_null() || std::string_view(name).starts_with('$')) gone.emplace_back(name);
        settle(member);
    }
    for (const auto& name : gone) object->erase(name);
}

/// Checks an update of `current` to the wanted version: see three_way_merge_patch().
void check_three_way(const json::object& last, const json::object& wanted, const json::object& current,
                     const json::object& result)
{
    for (const auto& [name, value] : wanted) {
        const auto* now = result.if_contains(name);
        fuzz::require(now != nullptr, "what is wanted is there");
        const auto* before = current.if_contains(name);
        if (!value.is_object() || !before || !before->is_object()) {
            // A removal within an object that is another value now leaves an empty object.
            if (!value.is_object()) fuzz::require(*now == value, "what is wanted is set");
            continue;
        }
        const auto* then = last.if_contains(name);
        check_three_way(then && then->is_object() ? then->get_object() : json::object{}, value.get_object(),
                        before->get_object(), now->get_object());
    }
    for (const auto& [name, value] : current) {
        if (wanted.contains(name)) continue;
        const auto* now = result.if_contains(name);
        if (last.contains(name))
            fuzz::require(now == nullptr, "what is no longer wanted is gone");
        else
            fuzz::require(now && *now == value, "what others set stays");
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto text = fuzz::text(data, size);
    boost::system::error_code broken;
    auto versions = json::parse(json::string_view(text.data(), text.size()), broken);
    if (broken || !versions.is_array() || versions.get_array().size() != 3) return 0;
    settle(versions);
    const auto& all = versions.get_array();
    if (!std::ranges::all_of(all, [](const auto& v) { return v.is_object(); })) return 0;
    const auto& last = all[0].get_object();
    const auto& from = all[1].get_object();
    const auto& to = all[2].get_object();

    json::value merged = from;
    apiserver::apply_merge_patch(merged, merge_patch(from, to));
    fuzz::require(merged == all[2], "a merge patch gives the new version");

    json::value updated = from;
    apiserver::apply_merge_patch(updated, three_way_merge_patch(last, to, from));
    check_three_way(last, to, from, updated.get_object());

    fuzz::require(merge_patch(from, from).empty(), "no change, no patch");
    if (const auto same = strategic_merge_patch(from, from))
        fuzz::require(same->empty(), "no change, no strategic patch");
    const auto patch = strategic_merge_patch(from, to);
    if (!patch) {
        fuzz::require(patch.error() == cond::invalid, "a patch that cannot be made is refused");
        return 0;
    }
    if (from.if_contains("kind") == nullptr || from.at("kind") != to.at("kind")) return 0;
    auto patched = from;
    const auto problem =
        apiserver::apply_strategic_merge(patched, *patch, to.at("apiVersion").as_string(), to.at("kind").as_string());
    fuzz::require(!problem, "a strategic patch can be applied");
    fuzz::require(json::value(patched) == all[2], "a strategic patch gives the new version");
    return 0;
}
