// JSON merge patches from two and from three versions; strategic merge patches from two, as apimachinery's strategicpatch makes them.
#include <kubecoro/api/patch.hpp>

#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/api/detail/schema.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro {

namespace json = boost::json;

namespace {

/// The parts of a difference that a patch has.
enum class parts
{
    all,
    changes,
    removals
};

json::object difference(const json::object& from, const json::object& to, parts wanted);

/// Adds what has become of one member that both have.
void add_change(json::object& patch, std::string_view name, const json::value& before, const json::value& after,
                parts wanted)
{
    if (before == after) return;
    if (before.is_object() && after.is_object()) {
        if (auto inner = difference(before.get_object(), after.get_object(), wanted); !inner.empty())
            patch[name] = std::move(inner);
    } else if (wanted != parts::removals || after.is_null()) {
        patch[name] = after;
    }
}

json::object difference(const json::object& from, const json::object& to, parts wanted)
{
    json::object patch;
    for (const auto& [name, after] : to) {
        if (const auto* before = from.if_contains(name))
            add_change(patch, name, *before, after, wanted);
        else if (wanted != parts::removals && !after.is_null())
            patch[name] = after;
    }
    if (wanted == parts::changes) return patch;
    for (const auto& [name, before] : from)
        if (!to.contains(name)) patch[name] = nullptr;
    return patch;
}

/// Puts the members of one patch into another one, whose objects are merged.
void add_patch(json::object& patch, const json::object& other)
{
    for (const auto& [name, value] : other) {
        auto* known = patch.if_contains(name);
        if (known && known->is_object() && value.is_object())
            add_patch(known->get_object(), value.get_object());
        else
            patch[name] = value;
    }
}

} // namespace

json::object merge_patch(const json::object& from, const json::object& to) { return difference(from, to, parts::all); }

json::object three_way_merge_patch(const json::object& last_applied, const json::object& wanted,
                                   const json::object& current)
{
    auto patch = difference(current, wanted, parts::changes);
    add_patch(patch, difference(last_applied, wanted, parts::removals));
    return patch;
}

namespace {

using detail::field_flag;
using detail::patch_list_rule;
using detail::patch_shape;
using detail::schema_field;

/// The field that is compared, for failures.
using place = std::string;

struct diff_options
{
    /// Whether the patch names all members of the new object, so that others go: for unions.
    bool retain_keys = false;
    patch_shape shape;
};

result<json::object> compare(const json::object& from, const json::object& to, diff_options how, const place& at);

failure refusal(const place& at, std::string_view why)
{
    return failure(cond::invalid, "cannot make a strategic merge patch: " + at + " " + std::string(why));
}

json::value text(std::string_view s) { return json::value(s); }

/// The positions of the items by what identifies them. An ordered map: no choice of values can degrade it.
using positions = std::map<std::string, std::size_t>;

/// The identity of an item: the value of its merge key, or a scalar itself.
std::string identity(const json::value& item, std::string_view key)
{
    return json::serialize(key.empty() ? item : item.get_object().at(key));
}

positions positions_of(const json::array& items, std::string_view key)
{
    positions out;
    for (std::size_t i = 0; i < items.size(); ++i) out.emplace(identity(items[i], key), i);
    return out;
}

result<> check_items(const json::array& items, std::string_view key, const place& at)
{
    for (const auto& item : items) {
        if (item.is_array()) return refusal(at, "has lists in a list");
        if (item.is_object() == key.empty()) return refusal(at, "has items of different types");
        if (!key.empty() && !item.get_object().contains(key))
            return refusal(at, "has an item without its merge key \"" + std::string(key) + "\"");
    }
    return {};
}

/// A patch cannot tell two such items apart.
result<> check_unique(const json::array& items, std::string_view key, const place& at)
{
    if (positions_of(items, key).size() == items.size()) return {};
    return refusal(at, key.empty() ? std::string("has an item twice; use merge_patch()")
                                   : "has two items with the same \"" + std::string(key) + "\"; use merge_patch()");
}

json::object only_key(const json::value& item, std::string_view key)
{
    json::object out;
    out[key] = item.get_object().at(key);
    return out;
}

/// The merge keys of all items, in order.
json::array keys_of(const json::array& items, std::string_view key)
{
    json::array out;
    out.reserve(items.size());
    for (const auto& item : items) out.push_back(only_key(item, key));
    return out;
}

/// Directives that delete the items that are not kept, by their keys.
json::array deletions(const json::array& from, const positions& before, const positions& kept, std::string_view key)
{
    json::array out;
    for (const auto& [id, index] : before) {
        if (kept.contains(id)) continue;
        auto gone = only_key(from[index], key);
        gone["$patch"] = "delete";
        out.push_back(std::move(gone));
    }
    return out;
}

bool same_order(const json::array& from, const json::array& to, std::string_view key)
{
    return std::equal(
        from.begin(), from.end(), to.begin(), to.end(),
        [key](const json::value& a, const json::value& b) { return a.get_object().at(key) == b.get_object().at(key); });
}

/// The members of a patch about one list.
struct list_change
{
    json::array items;
    json::array removed;
    json::array order;
};

/// A list whose items are objects with a merge key: changed and new items, then deletions.
result<list_change> compare_keyed(const json::array& from, const json::array& to, const patch_list_rule& rule,
                                  bool retain_keys, const place& at)
{
    list_change out;
    const auto before = positions_of(from, rule.key);
    for (const auto& item : to) {
        const auto known = before.find(identity(item, rule.key));
        if (known == before.end()) {
            out.items.push_back(item);
            continue;
        }
        auto inner = compare(from[known->second].get_object(), item.get_object(), {retain_keys, rule.items},
                             at + "[" + known->first + "]");
        if (!inner) return inner.error();
        if (inner->empty()) continue;
        (*inner)[rule.key] = item.get_object().at(rule.key);
        out.items.push_back(*std::move(inner));
    }
    for (auto& gone : deletions(from, before, positions_of(to, rule.key), rule.key))
        out.items.push_back(std::move(gone));
    if (!out.items.empty() || !same_order(from, to, rule.key)) out.order = keys_of(to, rule.key);
    return out;
}

/// A list that is a set of scalars.
list_change compare_set(const json::array& from, const json::array& to)
{
    list_change out;
    if (from == to) return out;
    const auto before = positions_of(from, {});
    const auto after = positions_of(to, {});
    std::set<std::string> added;
    for (const auto& item : to)
        if (auto id = identity(item, {}); !before.contains(id) && added.insert(std::move(id)).second)
            out.items.push_back(item);
    for (const auto& [id, index] : before)
        if (!after.contains(id)) out.removed.push_back(from[index]);
    out.order = to;
    return out;
}

void put(json::object& patch, std::string name, json::array list)
{
    if (!list.empty()) patch[name] = std::move(list);
}

result<> compare_lists(json::object& patch, std::string_view name, const json::array& from, const json::array& to,
                       const schema_field& field, const patch_list_rule& rule, const place& at)
{
    for (const auto* list : {&from, &to}) {
        if (auto fine = check_items(*list, rule.key, at); !fine) return fine;
        if (auto fine = check_unique(*list, rule.key, at); !fine) return fine;
    }
    if (from.empty()) {
        put(patch, std::string(name), to);
        return {};
    }
    list_change change;
    if (rule.key.empty()) {
        change = compare_set(from, to);
    } else {
        auto keyed = compare_keyed(from, to, rule, field.has(field_flag::patch_retain_keys), at);
        if (!keyed) return keyed.error();
        change = *std::move(keyed);
    }
    put(patch, std::string(name), std::move(change.items));
    put(patch, "$deleteFromPrimitiveList/" + std::string(name), std::move(change.removed));
    put(patch, "$setElementOrder/" + std::string(name), std::move(change.order));
    return {};
}

/// Adds what has become of one member that both have.
result<> compare_member(json::object& patch, std::string_view name, const json::value& before, const json::value& after,
                        const schema_field* field, const place& at)
{
    if (before == after) return {};
    if (before.is_object() && after.is_object() && !(field && field->has(field_flag::patch_replace))) {
        const bool retain = field && field->has(field_flag::patch_retain_keys);
        auto inner = compare(before.get_object(), after.get_object(), {retain, detail::patch_shape_of(field)}, at);
        if (!inner) return inner.error();
        if (!inner->empty()) patch[name] = *std::move(inner);
        return {};
    }
    if (before.is_array() && after.is_array())
        if (const auto rule = detail::patch_list_rule_of(field))
            return compare_lists(patch, name, before.get_array(), after.get_array(), *field, *rule, at);
    patch[name] = after;
    return {};
}

bool has_more(const json::object& from, const json::object& to)
{
    return std::any_of(from.begin(), from.end(), [&to](const auto& member) { return !to.contains(member.key()); });
}

/// The names of the new object's members, sorted.
json::array retained(const json::object& to)
{
    std::set<std::string_view> names;
    for (const auto& [name, value] : to)
        if (!value.is_null()) names.insert(name);
    json::array out;
    for (const auto name : names) out.push_back(text(name));
    return out;
}

result<json::object> compare(const json::object& from, const json::object& to, diff_options how, const place& at)
{
    json::object patch;
    for (const auto& [name, after] : to) {
        const auto* before = from.if_contains(name);
        if (!before) {
            patch[name] = after;
            continue;
        }
        const auto* field = detail::patch_field(how.shape, name);
        if (auto done = compare_member(patch, name, *before, after, field, at + "." + std::string(name)); !done)
            return done.error();
    }
    const bool changed = !patch.empty() || has_more(from, to);
    for (const auto& [name, before] : from)
        if (!to.contains(name)) patch[name] = nullptr;
    if (how.retain_keys && changed)
        if (auto names = retained(to); !names.empty()) patch["$retainKeys"] = std::move(names);
    return patch;
}

} // namespace

result<json::object> strategic_merge_patch(const json::object& from, const json::object& to)
{
    const auto shape = detail::patch_shape_of_kind(detail::text_in(to, "apiVersion"), detail::text_in(to, "kind"));
    if (!shape)
        return failure(cond::invalid, "cannot make a strategic merge patch: \"" +
                                          std::string(detail::text_in(to, "kind")) + "\" of \"" +
                                          std::string(detail::text_in(to, "apiVersion")) +
                                          "\" is no built-in kind; use merge_patch()");
    return compare(from, to, {false, shape}, {});
}

} // namespace kubecoro
