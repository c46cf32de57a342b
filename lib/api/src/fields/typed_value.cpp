// Fields of values, and their differences.
#include <kubecoro/api/detail/typed_value.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

namespace kubecoro::detail {

namespace json = boost::json;

path_element item_keys::element_of(const json::value& item) const
{
    if (!by_key_) return item.is_structured() || item.is_null() ? path_element{} : value_element(item);
    if (!item.is_object()) return {};
    json::object found;
    for (const auto& key : keys_) {
        if (const auto* value = item.get_object().if_contains(key.name))
            found.emplace(key.name, *value);
        else if (key.otherwise)
            found.emplace(key.name, *key.otherwise);
    }
    return found.empty() ? path_element{} : key_element(found);
}

std::size_t indexed_list::count(std::string_view element) const
{
    const auto it = by_element.find(element);
    return it == by_element.end() ? 0 : it->second.count;
}

std::size_t indexed_list::first(std::string_view element) const
{
    const auto it = by_element.find(element);
    return it == by_element.end() ? keyed_item::none : it->second.first;
}

const json::value* indexed_list::only(std::string_view element) const
{
    const auto it = by_element.find(element);
    return it == by_element.end() || it->second.count != 1 ? nullptr : items[it->second.first].item;
}

indexed_list index_list(const json::value* list, const item_keys& keys)
{
    indexed_list out;
    const auto* array = list ? list->if_array() : nullptr;
    if (!array) return out;
    out.items.reserve(array->size()); // the index refers to the elements
    for (const auto& item : *array) {
        auto element = keys.element_of(item);
        if (!element.empty()) out.items.push_back({std::move(element), &item});
    }
    for (std::size_t i = 0; i < out.items.size(); ++i) {
        auto& seen = out.by_element[out.items[i].element];
        if (seen.count++ == 0)
            seen.first = i;
        else
            out.items[seen.last].next = i;
        seen.last = i;
    }
    return out;
}

namespace {

using form = merge_type::form;

bool is_list(form f) { return f == form::set || f == form::by_key; }

bool is_absent(const json::value* v)
{
    return !v || v->is_null() || (v->is_object() && v->get_object().empty()) ||
           (v->is_array() && v->get_array().empty());
}

/// As structured merging compares: 1 equals 1.0.
bool same_value(const json::value& a, const json::value& b)
{
    if (a.is_number() && b.is_number() && a.kind() != b.kind()) return a.to_number<double>() == b.to_number<double>();
    return a == b;
}

/// The fields of a part of a value: the path that leads to it, and those behind it.
struct stated_fields
{
    bool itself = false;
    field_set below = {};
};

stated_fields stated_by(const json::value& v, const merge_type& type)
{
    stated_fields out;
    const auto f = type.form_of(v);
    if (f == form::leaf) {
        out.itself = true;
    } else if (is_list(f)) {
        const item_keys keys(type, f);
        const auto list = index_list(&v, keys);
        const auto item_type = type.item();
        for (const auto& each : list.items) {
            const bool is_single = list.count(each.element) == 1;
            out.below.put(each.element, true, is_single ? stated_by(*each.item, item_type).below : field_set{});
        }
    } else if (const auto* object = v.if_object()) {
        for (const auto& [name, value] : *object) {
            auto found = stated_by(value, type.member(name));
            const bool is_empty = value.is_null() || (value.is_object() && value.get_object().empty());
            out.below.put(name_element(name), found.itself || is_empty || !type.declares(name), std::move(found.below));
        }
    }
    return out;
}

/// How a part of a value differs: the path that leads to it, and those behind it.
struct difference
{
    bool added = false;
    bool modified = false;
    bool removed = false;
    field_changes below = {};

    /// Notes the part itself. Null: absent.
    void note(const json::value* before, const json::value* after)
    {
        added = added || !before;
        removed = removed || (before && !after);
        modified = modified || (before && after && !same_value(*before, *after));
    }
    void put(const path_element& element, difference part)
    {
        below.added.put(element, part.added, std::move(part.below.added));
        below.modified.put(element, part.modified, std::move(part.below.modified));
        below.removed.put(element, part.removed, std::move(part.below.removed));
    }
};

difference differing_members(const json::object* before, const json::object* after, const merge_type& type);
difference differing_items(const json::value* before, const json::value* after, const merge_type& type, form f);

/// Null: absent. One of them is there. Nulls take the form of the other one.
difference compared(const json::value* before, const json::value* after, const merge_type& type)
{
    difference out;
    const auto* present = after && !after->is_null() ? after : before ? before : after;
    const auto now = type.form_of(*present);
    const auto then = before && !before->is_null() ? type.form_of(*before) : now;
    // Where objects and other values are allowed, one that takes the place of the other is modified, and the members come or go.
    const auto f = now == form::leaf ? then : now;
    if (f == form::leaf || (is_absent(before) && is_absent(after))) {
        out.note(before, after);
        return out;
    }
    if (f == form::members)
        out = differing_members(before ? before->if_object() : nullptr, after ? after->if_object() : nullptr, type);
    else
        out = differing_items(before, after, type, f);
    if (!before || !after || now != then) out.note(before, after);
    return out;
}

difference differing_members(const json::object* before, const json::object* after, const merge_type& type)
{
    difference out;
    const auto one = [&](std::string_view name, const json::value* then, const json::value* now) {
        out.put(name_element(name), compared(then, now, type.member(name)));
    };
    if (before)
        for (const auto& [name, then] : *before) one(name, &then, after ? after->if_contains(name) : nullptr);
    if (after)
        for (const auto& [name, now] : *after)
            if (!before || !before->contains(name)) one(name, nullptr, &now);
    return out;
}

bool same_items(const path_element& element, const indexed_list& then, const indexed_list& now)
{
    auto a = then.first(element), b = now.first(element);
    while (a != keyed_item::none && b != keyed_item::none) {
        if (!same_value(*then.items[a].item, *now.items[b].item)) return false;
        a = then.items[a].next;
        b = now.items[b].next;
    }
    return a == b;
}

/// Items with equal keys have one common owner.
difference differing_duplicates(const path_element& element, const indexed_list& then, const indexed_list& now,
                                const merge_type& item_type)
{
    difference out;
    if (then.count(element) > 1 && now.count(element) > 1) {
        out.modified = !same_items(element, then, now);
    } else if (then.count(element) > 1) {
        if (const auto* left = now.only(element)) out = compared(nullptr, left, item_type);
        out.removed = true;
    } else {
        if (const auto* was = then.only(element)) out = compared(was, nullptr, item_type);
        out.added = true;
    }
    return out;
}

difference differing_items(const json::value* before, const json::value* after, const merge_type& type, form f)
{
    const item_keys keys(type, f);
    const auto then = index_list(before, keys);
    const auto now = index_list(after, keys);
    const auto item_type = type.item();
    difference out;
    const auto one = [&](const path_element& element) {
        const bool unique = then.count(element) <= 1 && now.count(element) <= 1;
        out.put(element, unique ? compared(then.only(element), now.only(element), item_type)
                                : differing_duplicates(element, then, now, item_type));
    };
    for (std::size_t i = 0; i < then.items.size(); ++i)
        if (then.first(then.items[i].element) == i) one(then.items[i].element);
    for (std::size_t i = 0; i < now.items.size(); ++i)
        if (now.first(now.items[i].element) == i && then.count(now.items[i].element) == 0) one(now.items[i].element);
    return out;
}

} // namespace

field_set fields_of(const json::value& v, const merge_type& type) { return stated_by(v, type).below; }

field_changes compare_fields(const json::value& before, const json::value& after, const merge_type& type)
{
    return compared(&before, &after, type).below;
}

field_set with_named_steps(const field_set& fields, const merge_type& type)
{
    field_set out;
    for (const auto& [element, n] : fields.steps()) {
        const bool is_member = element[0] == 'f';
        const auto name = content_of(element);
        const bool named = n.below && is_member && type.declares(name);
        out.put(element, n.member || named,
                n.below ? with_named_steps(*n.below, is_member ? type.member(name) : type.item()) : field_set{});
    }
    return out;
}

} // namespace kubecoro::detail
