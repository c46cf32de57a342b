#include "random_object.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace kubecoro::test {

namespace json = boost::json;
namespace schemas = detail::builtin_schemas;
using detail::field_flag;
using detail::field_type;
using detail::json_form;

namespace {

// Deeper than this, optional values stay absent; recursive types end here.
constexpr int deepest = 7;
constexpr std::array<const char*, 4> letters{"a", "b", "c", "d"};

} // namespace

json::object object_maker::make(const detail::schema_kind& kind)
{
    json::object out;
    fill(out, kind.message, 0);
    out["apiVersion"] = schemas::text(kind.api_version);
    out["kind"] = schemas::text(kind.kind);
    out.erase("status");
    auto& metadata = out["metadata"];
    if (!metadata.is_object()) metadata = json::object{};
    metadata.get_object()["name"] = "x";
    metadata.get_object().erase("managedFields");
    return out;
}

void object_maker::fill(json::object& out, std::uint16_t message, int depth)
{
    for (const auto& field : schemas::fields(message)) {
        if (field.has(field_flag::inlined)) {
            fill(out, field.message, depth);
            continue;
        }
        if (depth >= deepest || !one_in(depth < 2 ? 2 : 4)) continue;
        out[schemas::text(field.name)] = value_of(field, depth + 1);
    }
}

json::value object_maker::value_of(const detail::schema_field& field, int depth)
{
    if (field.has(field_flag::repeated)) return list_of(field, depth);
    if (!field.has(field_flag::map)) return single(field, depth);
    json::object map;
    for (std::size_t i = below(4); i > 0; --i) map[letters[below(letters.size())]] = single(field, depth);
    return map;
}

json::value object_maker::single(const detail::schema_field& field, int depth)
{
    switch (field.type) {
    case field_type::string:
        return letters[below(letters.size())];
    case field_type::bytes:
        return "YWI=";
    case field_type::boolean:
        return one_in(2);
    case field_type::message:
        break;
    default:
        return static_cast<std::int64_t>(1 + below(3));
    }
    const auto form = schemas::message(field.message).form;
    if (form != json_form::object) return special(form);
    json::object out;
    fill(out, field.message, depth);
    return out;
}

json::value object_maker::special(json_form form)
{
    switch (form) {
    case json_form::quantity:
        return one_in(2) ? "1" : "100m";
    case json_form::int_or_string:
        return one_in(2) ? json::value(80) : json::value("web");
    case json_form::time:
        return "2026-01-01T00:00:00Z";
    case json_form::micro_time:
        return "2026-01-01T00:00:00.000000Z";
    case json_form::duration:
        return "1m0s";
    case json_form::array:
    case json_form::schema_or_strings:
        return json::array{"a"};
    default:
        return json::object{};
    }
}

json::value object_maker::list_of(const detail::schema_field& field, int depth)
{
    json::array list;
    const auto key = schemas::text(field.merge_key);
    auto names = letters;
    std::rotate(names.begin(), names.begin() + below(names.size()), names.end());
    for (std::size_t i = 0, n = below(4); i < n; ++i) {
        auto item = single(field, depth);
        // Few lists have items with equal keys: ours are refused.
        if (field.has(field_flag::patch_merge) && !one_in(40)) {
            if (item.is_string()) item = names[i];
            if (item.is_object() && !key.empty()) {
                const auto* keyed = schemas::find_field(field.message, key);
                const bool is_text = !keyed || keyed->type == field_type::string;
                item.get_object()[key] = is_text ? json::value(names[i]) : json::value(static_cast<std::int64_t>(i));
            }
        }
        list.push_back(std::move(item));
    }
    return list;
}

json::object object_maker::changed(const json::object& from, const json::object& other)
{
    json::value out = from;
    const json::value wanted = other;
    change(out, &wanted);
    for (const auto* fixed : {"apiVersion", "kind"}) out.get_object()[fixed] = from.at(fixed);
    auto& metadata = out.get_object()["metadata"];
    if (!metadata.is_object()) metadata = json::object{};
    metadata.get_object()["name"] = "x";
    return out.get_object();
}

void object_maker::change(json::value& v, const json::value* other)
{
    if (auto* object = v.if_object()) {
        const auto* others = other ? other->if_object() : nullptr;
        std::vector<std::string> gone;
        for (auto& [name, member] : *object) {
            if (one_in(12))
                gone.emplace_back(name);
            else
                change(member, others ? others->if_contains(name) : nullptr);
        }
        for (const auto& name : gone) object->erase(name);
        if (!others) return;
        for (const auto& [name, member] : *others)
            if (!object->contains(name) && one_in(6)) object->emplace(name, member);
    } else if (auto* array = v.if_array()) {
        for (auto& item : *array) change(item, nullptr);
        if (array->size() > 1 && one_in(4)) std::swap(array->front(), array->back());
        if (!array->empty() && one_in(5)) array->erase(array->begin());
        if (const auto* others = other ? other->if_array() : nullptr; others && one_in(4)) *array = *others;
    } else if (other && one_in(5)) {
        v = *other;
    }
}

} // namespace kubecoro::test
