// Fields of values, and their differences.
#include <kubecoro/api/detail/typed_value.hpp>

#include <kubecoro/api/detail/list_items.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

using form = merge_type::form;

bool is_list(form f) { return f == form::set || f == form::by_key; }

bool is_nothing(const json::value* v)
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

class field_collector
{
public:
    field_set fields;

    void walk(const json::value& v, const merge_type& type)
    {
        const auto f = type.form_of(v);
        if (f == form::leaf) {
            fields.insert(path_);
        } else if (is_list(f)) {
            walk_items(v, type, f);
        } else if (const auto* object = v.if_object()) {
            for (const auto& [name, value] : *object) {
                path_.push_back(name_element(name));
                walk(value, type.member(name));
                const bool is_empty = value.is_null() || (value.is_object() && value.get_object().empty());
                if (is_empty || !type.declares(name)) fields.insert(path_);
                path_.pop_back();
            }
        }
    }

private:
    void walk_items(const json::value& v, const merge_type& type, form f)
    {
        const item_keys keys(type, f);
        const auto list = index_list(&v, keys);
        const auto item_type = type.item();
        for (const auto& each : list.items) {
            path_.push_back(each.element);
            if (list.count(each.element) == 1) walk(*each.item, item_type);
            fields.insert(path_);
            path_.pop_back();
        }
    }

    field_path path_;
};

class comparer
{
public:
    field_changes changes;

    /// Null: absent. One of them is there.
    void walk(const json::value* before, const json::value* after, const merge_type& type)
    {
        const auto f = common_form(before, after, type);
        if (f == form::leaf || (is_nothing(before) && is_nothing(after))) {
            note(before, after);
            return;
        }
        if (f == form::members)
            walk_members(before ? before->if_object() : nullptr, after ? after->if_object() : nullptr, type);
        else
            walk_items(before, after, type, f);
        if (!before || !after) note(before, after);
    }

private:
    static form common_form(const json::value* before, const json::value* after, const merge_type& type)
    {
        const bool only_before = !after || after->is_null();
        const bool only_after = !before || before->is_null();
        if (only_before) return type.form_of(before ? *before : *after);
        const auto f = type.form_of(*after);
        return only_after || type.form_of(*before) == f ? f : form::leaf;
    }

    void note(const json::value* before, const json::value* after)
    {
        if (!before)
            changes.added.insert(path_);
        else if (!after)
            changes.removed.insert(path_);
        else if (!same_value(*before, *after))
            changes.modified.insert(path_);
    }

    void walk_members(const json::object* before, const json::object* after, const merge_type& type)
    {
        const auto one = [&](std::string_view name, const json::value* then, const json::value* now) {
            path_.push_back(name_element(name));
            walk(then, now, type.member(name));
            path_.pop_back();
        };
        if (before)
            for (const auto& [name, then] : *before) one(name, &then, after ? after->if_contains(name) : nullptr);
        if (after)
            for (const auto& [name, now] : *after)
                if (!before || !before->contains(name)) one(name, nullptr, &now);
    }

    void walk_items(const json::value* before, const json::value* after, const merge_type& type, form f)
    {
        const item_keys keys(type, f);
        const auto then = index_list(before, keys);
        const auto now = index_list(after, keys);
        const auto item_type = type.item();
        const auto one = [&](const path_element& element) {
            path_.push_back(element);
            if (then.count(element) <= 1 && now.count(element) <= 1)
                walk(then.only(element), now.only(element), item_type);
            else
                note_duplicates(element, then, now, item_type);
            path_.pop_back();
        };
        for (std::size_t i = 0; i < then.items.size(); ++i)
            if (then.first(then.items[i].element) == i) one(then.items[i].element);
        for (std::size_t i = 0; i < now.items.size(); ++i)
            if (now.first(now.items[i].element) == i && then.count(now.items[i].element) == 0)
                one(now.items[i].element);
    }

    /// Items with equal keys have one common owner.
    void note_duplicates(const path_element& element, const indexed_list& then, const indexed_list& now,
                         const merge_type& item_type)
    {
        if (then.count(element) > 1 && now.count(element) > 1) {
            if (!same_items(element, then, now)) changes.modified.insert(path_);
        } else if (then.count(element) > 1) {
            if (const auto* left = now.only(element)) walk(nullptr, left, item_type);
            changes.removed.insert(path_);
        } else {
            if (const auto* was = then.only(element)) walk(was, nullptr, item_type);
            changes.added.insert(path_);
        }
    }

    static bool same_items(const path_element& element, const indexed_list& then, const indexed_list& now)
    {
        auto a = then.first(element), b = now.first(element);
        while (a != keyed_item::none && b != keyed_item::none) {
            if (!same_value(*then.items[a].item, *now.items[b].item)) return false;
            a = then.items[a].next;
            b = now.items[b].next;
        }
        return a == b;
    }

    field_path path_;
};

/// Whether the schema has the last member of a path, seen from the root.
class step_finder
{
public:
    explicit step_finder(const merge_type& root) : root_(root) {}

    bool operator()(const field_path& path) const
    {
        if (path.back()[0] != 'f') return false;
        auto type = root_;
        for (std::size_t i = 0; i + 1 < path.size(); ++i)
            type = path[i][0] == 'f' ? type.member(std::string_view(path[i]).substr(2)) : type.item();
        return type.declares(std::string_view(path.back()).substr(2));
    }

private:
    merge_type root_;
};

} // namespace

field_set fields_of(const json::value& v, const merge_type& type)
{
    field_collector collector;
    collector.walk(v, type);
    return std::move(collector.fields);
}

field_changes compare_fields(const json::value& before, const json::value& after, const merge_type& type)
{
    comparer c;
    c.walk(&before, &after, type);
    return std::move(c.changes);
}

field_set with_named_steps(field_set fields, const merge_type& type)
{
    fields.for_each_step(step_finder(type));
    return fields;
}

} // namespace kubecoro::detail
