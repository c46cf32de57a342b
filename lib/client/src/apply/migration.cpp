// Moves the fields of managers that updated to one that applies, by the rules of client-go's csaupgrade.
#include "apply/managed_fields.hpp"

#include <kubecoro/api/detail/field_set.hpp>
#include <kubecoro/client/apply.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <utility>

namespace kubecoro {

namespace json = boost::json;
using namespace detail;

namespace {

/// An entry that can be changed.
struct entry
{
    json::object text;
    std::string manager;
    std::string operation;
    std::string api_version;
    std::string subresource;
    field_set fields;
};

using entries = std::vector<entry>;

result<entries> read_entries(value_view managed)
{
    entries out;
    for (const auto item : managed.items()) {
        const auto seen = read_entry(item);
        auto fields = field_set::of_fields(seen.fields.to_json());
        if (!fields) return fields.error();
        auto text = item.to_json();
        out.push_back({std::move(text.get_object()), std::string(seen.manager), std::string(seen.operation),
                       std::string(seen.api_version), std::string(seen.subresource), std::move(*fields)});
    }
    return out;
}

template<class Test>
entry* first(entries& all, Test test)
{
    const auto found = std::find_if(all.begin(), all.end(), test);
    return found == all.end() ? nullptr : &*found;
}

void move_fields(entries& all, const std::string& from, const apply_migration& how)
{
    const auto is_old = [&](const entry& e) {
        return e.manager == from && e.operation == "Update" && e.subresource == how.subresource;
    };
    auto* target = first(all, [&](const entry& e) {
        return e.manager == how.to && e.operation == "Apply" && e.subresource == how.subresource;
    });
    if (target == nullptr) {
        // The first one is the most recent.
        target = first(all, is_old);
        if (target == nullptr) return;
        target->operation = "Apply";
        target->manager = how.to;
        target->text["operation"] = "Apply";
        target->text["manager"] = how.to;
    }
    // Fields are named as in their version: those of other versions cannot be joined and are given up.
    if (const auto* old = first(all, [&](const entry& e) { return is_old(e) && e.api_version == target->api_version; }))
        target->fields.add(old->fields);
    target->text["fieldsV1"] = target->fields.to_fields();
    std::erase_if(all, is_old);
}

json::array texts_of(const entries& all)
{
    json::array out;
    for (const auto& e : all) out.push_back(e.text);
    return out;
}

} // namespace

result<std::optional<std::string>> migration_patch(const object& live, const apply_migration& how)
{
    if (how.to.empty()) return failure(cond::invalid, "the manager that applies from now on has no name");
    auto all = read_entries(live.metadata()["managedFields"]);
    if (!all) return all.error();
    const auto before = texts_of(*all);
    for (const auto& from : how.from) move_fields(*all, from, how);
    auto after = texts_of(*all);
    if (after == before) return std::optional<std::string>{};
    // Replacing the version makes the server compare it: a conflict, where a test would be an invalid request.
    const json::array patch{
        json::object{{"op", "replace"}, {"path", "/metadata/managedFields"}, {"value", std::move(after)}},
        json::object{{"op", "replace"}, {"path", "/metadata/resourceVersion"}, {"value", live.resource_version()}}};
    return std::optional(json::serialize(patch));
}

} // namespace kubecoro
