// Applies JSON merge patches (RFC 7386), and strategic merge patches with the rules of the built-in schemas. Merged lists are ordered as by
// a kube-apiserver.
#include "objects/status_errors.hpp"
#include "patch/patch.hpp"
#include "text/json_text.hpp"

#include <kubecoro/api/detail/schema.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {
namespace {

using detail::field_flag;
using list_rule = detail::patch_list_rule;
using shape = detail::patch_shape;
using refusal = std::optional<status_error>;

/// The first position of each identity. An ordered map of texts, whose cost no choice of values can degrade.
class list_ranks
{
public:
    list_ranks(const json::array& items, std::string_view key);

    /// Returns the position of the first item with the same identity; none if there is no such item.
    [[nodiscard]] const std::size_t* of(const json::value& item) const;

private:
    std::string _key;
    std::map<std::string, std::size_t> _first;
};

struct ranked
{
    json::value item;
    /// Its position in the list that orders its part.
    std::size_t rank;
    /// Its position before the merge; null if it is new.
    const std::size_t* before;
};

using part = std::vector<ranked>;

void sort_part(part& items)
{
    std::stable_sort(items.begin(), items.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
}

/// Returns what identifies an item of a list: its merge key's value, or itself where the list has no key. Null if the key
/// is missing.
const json::value* identity(const json::value& item, std::string_view key)
{
    if (key.empty()) return &item;
    return item.is_object() ? item.get_object().if_contains(key) : nullptr;
}

list_ranks::list_ranks(const json::array& items, std::string_view key) : _key(key)
{
    for (std::size_t i = 0; i < items.size(); ++i)
        if (const auto* id = identity(items[i], key)) _first.emplace(to_text(*id), i);
}

const std::size_t* list_ranks::of(const json::value& item) const
{
    const auto* id = identity(item, _key);
    const auto it = id ? _first.find(to_text(*id)) : _first.end();
    return it == _first.end() ? nullptr : &it->second;
}

/** Orders the items of a merged list. Items that `wanted` has come in its order; the others keep the order that they had
    before the merge, and precede those that they preceded then, as far as both orders allow. */
json::array in_order(json::array merged, const list_ranks& wanted, const list_ranks& before)
{
    part ordered;
    part others;
    for (auto& item : merged) {
        const auto* place = before.of(item);
        if (const auto* rank = wanted.of(item))
            ordered.push_back({std::move(item), *rank, place});
        else
            others.push_back({std::move(item), place ? *place : std::numeric_limits<std::size_t>::max(), place});
    }
    sort_part(ordered);
    sort_part(others);
    json::array out;
    out.reserve(merged.size());
    auto other = others.begin();
    for (auto& next : ordered) {
        while (other != others.end() && other->before && next.before && *other->before < *next.before)
            out.push_back(std::move((other++)->item));
        out.push_back(std::move(next.item));
    }
    for (; other != others.end(); ++other) out.push_back(std::move(other->item));
    return out;
}

constexpr std::string_view directive = "$patch";
constexpr std::string_view retain_directive = "$retainKeys";
constexpr std::string_view order_prefix = "$setElementOrder/";
constexpr std::string_view delete_prefix = "$deleteFromPrimitiveList/";

bool is_directive(std::string_view key)
{
    return key == directive || key == retain_directive || key.starts_with(order_prefix) ||
           key.starts_with(delete_prefix);
}

refusal unknown_directive(const json::value& what, const json::object& patch)
{
    return errors::internal("unknown patch type: " + scalar_text(what) + " in map: " + to_text(patch));
}

/// Returns a value without nulls and directives.
json::value stripped(const json::value& v)
{
    if (const auto* array = v.if_array()) {
        json::array out;
        for (const auto& item : *array) out.push_back(stripped(item));
        return out;
    }
    const auto* object = v.if_object();
    if (!object) return v;
    json::object out;
    for (const auto& [key, member] : *object)
        if (!member.is_null() && !is_directive(key)) out.emplace(key, stripped(member));
    return out;
}

bool has_directive(const json::value& v) { return v.is_object() && v.get_object().contains(directive); }

/// Returns the value of a new member: without nulls and directives, and without objects that have `$patch`.
json::value cleaned(const json::value& v)
{
    if (const auto* array = v.if_array()) {
        json::array out;
        for (const auto& item : *array)
            if (!has_directive(item)) out.push_back(cleaned(item));
        return out;
    }
    const auto* object = v.if_object();
    if (!object) return v;
    json::object out;
    for (const auto& [key, member] : *object)
        if (!member.is_null() && !is_directive(key) && !has_directive(member)) out.emplace(key, cleaned(member));
    return out;
}

void take(json::object& target, std::string_view name, const json::value& value)
{
    if (has_directive(value))
        target.erase(name);
    else
        target[name] = cleaned(value);
}

status_error no_key(const json::value& item, std::string_view key)
{
    return errors::internal("map: " + to_text(item) + " does not contain declared merge key: " + std::string(key));
}

/// Refuses items that cannot be identified: mixed types, lists in lists, objects without the key.
refusal check_items(const json::array& items, std::string_view key)
{
    for (const auto& item : items) {
        if (item.is_array()) {
            auto e = errors::unsupported_patch_body();
            e.message = "lists of lists are not supported";
            return e;
        }
        if (item.is_object() == key.empty() || (key.empty() && item.kind() != items.front().kind()))
            return errors::internal("list element types are not identical");
        if (!identity(item, key)) return no_key(item, key);
    }
    return {};
}

std::set<std::string> texts_of(const json::array& values)
{
    std::set<std::string> out;
    for (const auto& v : values) out.insert(to_text(v));
    return out;
}

/// Removes the items whose identity is among the given ones.
void remove_items(json::array& items, std::string_view key, const std::set<std::string>& doomed)
{
    if (doomed.empty()) return;
    items.erase(std::remove_if(items.begin(), items.end(),
                               [&](const json::value& item) {
                                   const auto* id = identity(item, key);
                                   return id && doomed.contains(to_text(*id));
                               }),
                items.end());
}

/// The items of a patch list by what is to be done.
struct sorted_patch
{
    json::array merged;
    std::set<std::string> deleted;
    bool replaces = false;
};

refusal sort_patch(const json::array& patch, std::string_view key, sorted_patch& out)
{
    for (const auto& item : patch) {
        const auto* what = item.get_object().if_contains(directive);
        if (!what)
            out.merged.push_back(item);
        else if (*what == "replace")
            out.replaces = true;
        else if (*what == "delete" && !identity(item, key))
            return no_key(item, key);
        else if (*what == "delete")
            out.deleted.insert(to_text(*identity(item, key)));
        else
            return unknown_directive(*what, item.get_object());
    }
    return {};
}

refusal merge_set(json::array& items, const json::array& patch)
{
    json::array both = items;
    both.insert(both.end(), patch.begin(), patch.end());
    if (auto e = check_items(both, {})) return e;
    const list_ranks before(items, {});
    std::set<std::string> known;
    json::array merged;
    for (auto& item : both)
        if (known.insert(to_text(item)).second) merged.push_back(std::move(item));
    items = in_order(std::move(merged), list_ranks(patch, {}), before);
    return {};
}

/// Removes the members that the directive does not name. A patch may change none of those.
refusal retain_keys(json::object& target, const json::object& patch)
{
    const auto* listed = patch.if_contains(retain_directive);
    if (!listed) return {};
    const auto bad_format = [] { return errors::bad_request("invalid patch format of retainKeys"); };
    if (!listed->is_array()) return bad_format();
    const auto kept = texts_of(listed->get_array());
    for (const auto& [key, value] : patch)
        if (!value.is_null() && !is_directive(key) && !kept.contains(quote(key))) return bad_format();
    erase_members(target, [&](std::string_view name) { return !kept.contains(quote(name)); });
    return {};
}

bool deletes(const json::value& item)
{
    const auto* what = item.is_object() ? item.get_object().if_contains(directive) : nullptr;
    return what && *what == "delete";
}

/// Refuses a patch list with items that the order list lacks, or has in another order. Deletions do not count.
refusal check_order(const json::array& patch, const json::array& order, std::string_view key)
{
    if (patch.empty() || order.empty()) return {};
    auto item = patch.begin();
    auto next = order.begin();
    const auto same = [&] {
        const auto* id = identity(*item, key);
        const auto* other = identity(*next, key);
        return id && other && *id == *other;
    };
    while (item != patch.end() && next != order.end()) {
        if (has_directive(*item))
            ++item;
        else if (same())
            ++item, ++next;
        else
            ++next;
    }
    if (std::all_of(item, patch.end(), deletes)) return {};
    return errors::internal("The order in patch list:\n" + to_text(patch) +
                            "\n doesn't match $setElementOrder list:\n" + to_text(order) + "\n");
}

/// Bytes of a text that cost as much as one item.
constexpr std::size_t bytes_a_step = 64;

std::size_t steps_of(const json::object& members)
{
    std::size_t steps = members.size();
    for (const auto& m : members) steps += m.key().size() / bytes_a_step;
    return steps;
}

/// @param key  The merge key of the items. Empty: they are their own.
std::size_t steps_of(const json::array& items, std::string_view key)
{
    std::size_t steps = items.size();
    for (const auto& item : items)
        if (const auto* id = identity(item, key); id && id->is_string())
            steps += id->get_string().size() / bytes_a_step;
    return steps;
}

/** Merges one patch. Bounds the members and items of the document that it looks at: an object or list is looked at for
    each item of the patch that leads to it, and a patch may have any number of items with the same key. */
class merger
{
public:
    refusal merge_object(json::object& target, const json::object& patch, shape message)
    {
        if (!spend(steps_of(target))) return too_much();
        if (const auto* strategy = patch.if_contains(directive)) {
            if (*strategy != "replace" && *strategy != "delete") return unknown_directive(*strategy, patch);
            target.clear();
            if (*strategy == "delete") return {};
            for (const auto& [key, value] : patch)
                if (key != directive) target.emplace(key, value);
            return {};
        }
        if (auto e = retain_keys(target, patch)) return e;
        erase_members(target, [&](std::string_view key) {
            const auto* change = patch.if_contains(key);
            return change && change->is_null();
        });
        return merge_members(target, patch, message);
    }

private:
    /// Merges the items into those with the same key, the first of several; adds the others.
    refusal merge_items(json::array& items, const json::array& patch, const list_rule& rule)
    {
        std::map<std::string, std::size_t> places;
        for (std::size_t i = 0; i < items.size(); ++i)
            if (const auto* id = identity(items[i], rule.key)) places.emplace(to_text(*id), i);
        for (const auto& item : patch) {
            const auto [place, fresh] = places.emplace(to_text(*identity(item, rule.key)), items.size());
            if (fresh)
                items.push_back(stripped(item));
            else if (auto e = merge_object(items[place->second].get_object(), item.get_object(), rule.items))
                return e;
        }
        return {};
    }

    refusal merge_keyed_list(json::array& items, const json::array& patch, const list_rule& rule)
    {
        sorted_patch sorted;
        for (const auto& item : patch)
            if (!item.is_object()) return errors::internal("list element types are not identical");
        if (auto e = sort_patch(patch, rule.key, sorted)) return e;
        if (auto e = check_items(sorted.merged, rule.key)) return e;
        if (sorted.replaces) {
            items = stripped(sorted.merged).get_array();
            return {};
        }
        remove_items(items, rule.key, sorted.deleted);
        if (auto e = check_items(items, rule.key)) return e;
        const list_ranks before(items, rule.key);
        if (auto e = merge_items(items, sorted.merged, rule)) return e;
        items = in_order(std::move(items), list_ranks(sorted.merged, rule.key), before);
        return {};
    }

    refusal merge_list(json::array& items, const json::array& patch, const list_rule& rule)
    {
        if (!spend(steps_of(items, rule.key) + patch.size())) return too_much();
        return rule.key.empty() ? merge_set(items, patch) : merge_keyed_list(items, patch, rule);
    }

    /// Merges one member that is neither null nor a directive.
    refusal merge_member(json::object& target, std::string_view name, const json::value& value, shape message)
    {
        auto* const member = target.if_contains(name);
        const auto* const field = detail::patch_field(message, name);
        if (member && member->is_object() && value.is_object()) {
            if (!field || !field->has(field_flag::patch_replace))
                return merge_object(member->get_object(), value.get_object(), detail::patch_shape_of(field));
            *member = value;
        } else if (member && member->is_array() && value.is_array()) {
            if (const auto rule = detail::patch_list_rule_of(field))
                return merge_list(member->get_array(), value.get_array(), *rule);
            *member = value;
        } else {
            take(target, name, value);
        }
        return {};
    }

    /// Merges a list and brings it into the order of the directive.
    refusal order_list(json::object& target, std::string_view name, const json::value& order, const json::value* patch,
                       shape message)
    {
        const auto rule = detail::patch_list_rule_of(detail::patch_field(message, name));
        auto* member = target.if_contains(name);
        for (const json::value* list : {&order, patch, static_cast<const json::value*>(member)})
            if (list && !list->is_array())
                return errors::internal("expected a []interface {}, but received another type");
        if (!rule) return patch ? merge_member(target, name, *patch, message) : std::nullopt;
        if (member && !spend(steps_of(member->get_array(), rule->key))) return too_much();
        if (auto e = check_items(order.get_array(), rule->key)) return e;
        if (patch)
            if (auto e = check_order(patch->get_array(), order.get_array(), rule->key)) return e;
        const list_ranks before(member ? member->get_array() : json::array{}, rule->key);
        if (patch)
            if (auto e = merge_member(target, name, *patch, message)) return e;
        member = target.if_contains(name);
        if (!member) return {};
        auto& items = member->get_array();
        items = in_order(std::move(items), list_ranks(order.get_array(), rule->key), before);
        return {};
    }

    refusal delete_scalars(json::object& target, std::string_view name, const json::value& doomed)
    {
        auto* list = target.if_contains(name);
        if (doomed.is_null()) {
            target.erase(name);
        } else if (list && list->is_array() && doomed.is_array()) {
            if (!spend(steps_of(list->get_array(), {}))) return too_much();
            remove_items(list->get_array(), {}, texts_of(doomed.get_array()));
        }
        return {};
    }

    refusal merge_members(json::object& target, const json::object& patch, shape message)
    {
        for (const auto& [key_text, value] : patch) {
            const std::string_view key = key_text;
            if (key.starts_with(delete_prefix)) {
                if (auto e = delete_scalars(target, key.substr(delete_prefix.size()), value)) return e;
            } else if (key.starts_with(order_prefix)) {
                const auto name = key.substr(order_prefix.size());
                if (auto e = order_list(target, name, value, patch.if_contains(name), message)) return e;
            } else if (!is_directive(key) && !value.is_null() &&
                       !patch.contains(std::string(order_prefix) + std::string(key))) {
                if (auto e = merge_member(target, key, value, message)) return e;
            }
        }
        return {};
    }

    [[nodiscard]] bool spend(std::size_t steps) noexcept
    {
        const bool enough = steps <= left_;
        left_ = enough ? left_ - steps : 0;
        return enough;
    }
    [[nodiscard]] static status_error too_much()
    {
        return errors::make(413, "RequestEntityTooLarge",
                            "Request entity too large: the patch changes the same lists too often");
    }

    /// A second or two; a patch that leads to each of them once does not come near.
    std::size_t left_ = 1'000'000;
};

} // namespace

std::optional<status_error> apply_strategic_merge(json::object& doc, const json::object& patch,
                                                  std::string_view api_version, std::string_view kind)
{
    return merger().merge_object(doc, patch, detail::patch_shape_of_kind(api_version, kind));
}

void apply_merge_patch(json::value& doc, const json::value& patch)
{
    const auto* changes = patch.if_object();
    if (!changes) {
        doc = patch;
        return;
    }
    if (!doc.is_object()) doc = json::object{};
    auto& target = doc.get_object();
    erase_members(target, [&](std::string_view key) {
        const auto* change = changes->if_contains(key);
        return change && change->is_null();
    });
    for (const auto& [key, value] : *changes)
        if (!value.is_null()) apply_merge_patch(target[key], value);
}

} // namespace kubecoro::apiserver
