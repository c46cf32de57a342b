// One step of a conversion, on the object's JSON. Sans-io.
#include <kubecoro/webhooks/detail/version_pair.hpp>

#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/api/detail/written_json.hpp>
#include <kubecoro/api/object.hpp>
#include <kubecoro/base/printable.hpp>
#include <kubecoro/client/struct_edit.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <string>
#include <string_view>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

const struct_field* field_of(const struct_type& type, std::string_view name)
{
    const auto at = std::ranges::lower_bound(type.by_name, name, {}, [&](auto i) { return type.fields[i].name; });
    return at != type.by_name.end() && type.fields[*at].name == name ? &type.fields[*at] : nullptr;
}

const value_type& without_optional(const value_type& t)
{
    return t.form == value_form::optional ? without_optional(*t.item) : t;
}

/// Whether JSON of one type may be JSON of the other.
bool same_form(const value_type& a, const value_type& b)
{
    const value_type &x = without_optional(a), &y = without_optional(b);
    if (x.form != y.form) return false;
    return x.item == nullptr || y.item == nullptr || same_form(*x.item, *y.item);
}

json::value carried(const json::value& v, const value_type& from, const value_type& to);

/// The members of an object that a struct of the other version holds, or that neither knows.
json::object carried(const json::object& o, const struct_type& from, const struct_type& to)
{
    json::object out;
    for (const auto& m : o) {
        const auto* had = field_of(from, m.key());
        const auto* has = field_of(to, m.key());
        if (had == nullptr && has == nullptr)
            out.emplace(m.key(), m.value());
        else if (had != nullptr && has != nullptr && same_form(*had->type, *has->type))
            out.emplace(m.key(), carried(m.value(), *had->type, *has->type));
    }
    return out;
}

json::value carried(const json::value& v, const value_type& from, const value_type& to)
{
    const value_type &a = without_optional(from), &b = without_optional(to);
    if (a.form == value_form::part && v.is_object()) return carried(v.get_object(), a.part(), b.part());
    if (a.form == value_form::list && v.is_array()) {
        json::array out;
        for (const auto& item : v.get_array()) out.push_back(carried(item, *a.item, *b.item));
        return out;
    }
    if (a.form == value_form::map && v.is_object()) {
        json::object out;
        for (const auto& m : v.get_object()) out.emplace(m.key(), carried(m.value(), *a.item, *b.item));
        return out;
    }
    return v;
}

void state_new(json::object& o, const json::object& written, const struct_type& from, const struct_type& to);

void state_new(json::value& v, const json::value& written, const value_type& from, const value_type& to)
{
    const value_type &a = without_optional(from), &b = without_optional(to);
    if (a.form == value_form::part && v.is_object() && written.is_object()) {
        state_new(v.get_object(), written.get_object(), a.part(), b.part());
    } else if (a.form == value_form::list && v.is_array() && written.is_array()) {
        auto& items = v.get_array();
        const auto& all = written.get_array();
        for (std::size_t i = 0; i < std::min(items.size(), all.size()); ++i)
            state_new(items[i], all[i], *a.item, *b.item);
    } else if (a.form == value_form::map && v.is_object() && written.is_object()) {
        for (auto& m : v.get_object())
            if (const auto* value = written.get_object().if_contains(m.key()); value != nullptr)
                state_new(m.value(), *value, *a.item, *b.item);
    }
}

/// Adds the values that a struct always writes and the other version has not. One that is as a new struct has it is no edit.
void state_new(json::object& o, const json::object& written, const struct_type& from, const struct_type& to)
{
    for (const auto& m : written) {
        const auto* has = field_of(to, m.key());
        if (has == nullptr) continue; // apiVersion, kind
        const auto* had = field_of(from, m.key());
        auto* const place = o.if_contains(m.key());
        const bool is_new = had == nullptr || !same_form(*had->type, *has->type);
        if (is_new && place == nullptr && !m.value().is_object())
            o.emplace(m.key(), m.value());
        else if (!is_new && place != nullptr)
            state_new(*place, m.value(), *had->type, *has->type);
    }
}

result<> read_json(const struct_type& type, const json::object& from, void* into)
{
    const auto parsed = object::parse(written_json(from));
    if (!parsed) return parsed.error();
    if (const auto problem = read_root(type, parsed->root(), into, struct_rules::lenient)) return *problem;
    return {};
}

/// The server lets a conversion change labels and annotations, and nothing else of the metadata.
void keep_metadata(const json::object& from, json::object& to)
{
    const auto* had = object_in(from, "metadata");
    const auto* has = object_in(to, "metadata");
    json::object kept = had != nullptr ? *had : json::object();
    for (const std::string_view name : {"labels", "annotations"}) {
        const auto* changed = has != nullptr ? has->if_contains(name) : nullptr;
        if (changed != nullptr)
            kept[name] = *changed;
        else
            kept.erase(name);
    }
    to["metadata"] = std::move(kept);
}

} // namespace

result<json::object> convert(const version_step& step, const json::object& from)
{
    json::object out = carried(from, *step.from, *step.to);
    out["apiVersion"] = step.to->api_version;
    out["kind"] = step.to->kind;
    const auto done = step.with_structs([&](void* before, void* after) -> result<> {
        if (const auto read = read_json(*step.from, from, before); !read) return read;
        const auto edited = edit_as_struct(
            *step.to, after, [&] { return step.change(before, after); }, out);
        if (!edited) return edited;
        std::string text;
        write_root(*step.to, after, text);
        const auto written = object::parse(std::move(text));
        if (!written) return written.error();
        state_new(out, written->to_json().get_object(), *step.from, *step.to);
        return {};
    });
    if (!done) return done.error();
    keep_metadata(from, out);
    return out;
}

} // namespace kubecoro::detail
