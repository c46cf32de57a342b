#include "random_schema.hpp"

#include <algorithm>
#include <utility>

namespace checks_test {

namespace {

using text = std::string;

json::object text_schema(dice& d)
{
    json::object out{{"type", "string"}};
    switch (d.below(4)) {
    case 0:
        out["enum"] = {"red", "green", "blue"};
        break;
    case 1:
        out["pattern"] = "^[a-c]{2,4}$";
        break;
    case 2:
        out["minLength"] = 2;
        out["maxLength"] = 5;
        break;
    default:
        out["nullable"] = true;
    }
    return out;
}

json::object number_schema(dice& d, const char* type)
{
    json::object out{{"type", type}};
    const auto least = d.between(-5, 5);
    if (d.chance(70)) out["minimum"] = least;
    if (d.chance(70)) out["maximum"] = least + 10;
    return out;
}

json::object list_schema(dice& d, int depth)
{
    json::object out{{"type", "array"}};
    switch (d.below(3)) {
    case 0:
        out["items"] = random_schema(d, depth - 1);
        break;
    case 1:
        out["items"] = {{"type", "string"}};
        out["x-kubernetes-list-type"] = "set";
        break;
    default: {
        auto item = random_schema(d, depth - 1);
        item.at("properties").as_object()["key"] = {{"type", "string"}};
        if (!item.contains("required")) item["required"] = json::array{};
        item.at("required").as_array().emplace_back("key");
        out["items"] = std::move(item);
        out["x-kubernetes-list-type"] = "map";
        out["x-kubernetes-list-map-keys"] = json::array{"key"};
    }
    }
    if (d.chance(50)) out["minItems"] = 1;
    if (d.chance(50)) out["maxItems"] = 3;
    return out;
}

json::object any_schema(dice& d, int depth)
{
    switch (d.below(depth > 0 ? 8 : 5)) {
    case 0:
        return number_schema(d, "integer");
    case 1:
        return number_schema(d, "number");
    case 2:
        return {{"type", "boolean"}};
    case 5:
        return list_schema(d, depth);
    case 6:
        return random_schema(d, depth - 1);
    case 7: {
        json::object out{{"type", "object"}, {"additionalProperties", any_schema(d, depth - 1)}};
        if (d.chance(50)) out["minProperties"] = 1;
        if (d.chance(50)) out["maxProperties"] = 3;
        return out;
    }
    default:
        return text_schema(d);
    }
}

bool has(const json::object& schema, std::string_view rule) { return schema.contains(rule); }

text text_in(const json::object& schema, std::string_view name)
{
    const auto* found = schema.if_contains(name);
    return found && found->is_string() ? text(found->get_string()) : text();
}

std::int64_t number_in(const json::object& schema, std::string_view name, std::int64_t otherwise)
{
    const auto* found = schema.if_contains(name);
    return found ? found->to_number<std::int64_t>() : otherwise;
}

json::value matching_text(dice& d, const json::object& schema)
{
    if (const auto* allowed = schema.if_contains("enum"))
        return allowed->get_array()[d.below(allowed->get_array().size())];
    text out;
    for (auto n = d.between(2, 4); n > 0; --n) out += static_cast<char>('a' + d.below(3));
    return json::value(out);
}

json::value matching_list(dice& d, const json::object& schema)
{
    const auto& items = schema.at("items").as_object();
    const auto type = text_in(schema, "x-kubernetes-list-type");
    json::array out;
    for (std::int64_t n = d.between(1, 3), i = 0; i < n; ++i) {
        auto item = type == "set" ? json::value("s" + std::to_string(i)) : matching_value(d, items);
        if (type == "map") item.as_object()["key"] = "k" + std::to_string(i);
        out.push_back(std::move(item));
    }
    return out;
}

/// A place in a value: its schema and the two forms of its path.
struct place
{
    const json::object* schema;
    json::value* value;
    text path;
    /// Members of maps are in brackets.
    text field;
};

// NOLINTNEXTLINE(misc-no-recursion)
void collect(const json::object& schema, json::value& v, const text& path, const text& field, std::vector<place>& out)
{
    out.push_back({&schema, &v, path, field});
    if (auto* list = v.if_array(); list && has(schema, "items"))
        for (std::size_t i = 0; i < list->size(); ++i) {
            const auto at = '[' + std::to_string(i) + ']';
            collect(schema.at("items").as_object(), (*list)[i], path + at, field + at, out);
        }
    auto* object = v.if_object();
    if (object == nullptr) return;
    const auto* properties = schema.if_contains("properties");
    const auto* others = schema.if_contains("additionalProperties");
    for (auto& m : *object) {
        const text key(m.key());
        if (const auto* known = properties ? properties->get_object().if_contains(key) : nullptr)
            collect(known->get_object(), m.value(), path.empty() ? key : path + '.' + key,
                    field.empty() ? key : field + '.' + key, out);
        else if (others)
            collect(others->get_object(), m.value(), path + '.' + key, field + '[' + key + ']', out);
    }
}

using breaker = finding (*)(dice&, const place&);

finding is(const char* reason, const text& field) { return text("FieldValue") + reason + '|' + field; }

finding break_text(dice&, const place& p)
{
    if (!p.value->is_string()) return {};
    if (has(*p.schema, "enum")) return *p.value = "pink", is("NotSupported", p.path);
    if (has(*p.schema, "pattern")) return *p.value = "Z", is("Invalid", p.path);
    return {};
}
finding break_length(dice& d, const place& p)
{
    if (!p.value->is_string() || !has(*p.schema, "maxLength")) return {};
    if (d.chance(50)) return *p.value = "toolong", is("TooLong", p.path);
    return *p.value = "x", is("Invalid", p.path);
}
finding break_bound(dice& d, const place& p)
{
    if (!p.value->is_number()) return {};
    const bool up = d.chance(50);
    if (!has(*p.schema, up ? "maximum" : "minimum")) return {};
    *p.value = up ? number_in(*p.schema, "maximum", 0) + 1 : number_in(*p.schema, "minimum", 0) - 1;
    return is("Invalid", p.path);
}
finding break_type(dice&, const place& p)
{
    const auto type = text_in(*p.schema, "type");
    if (p.path.empty()) return {};
    *p.value = type == "boolean" ? json::value(7) : json::value(true);
    return is("TypeInvalid", p.path);
}
finding break_null(dice&, const place& p)
{
    if (p.path.empty() || has(*p.schema, "nullable")) return {};
    *p.value = nullptr;
    return is("TypeInvalid", p.path);
}
finding break_required(dice& d, const place& p)
{
    const auto* required = p.schema->if_contains("required");
    auto* object = p.value->if_object();
    if (!required || required->get_array().empty() || !object) return {};
    const text name(required->get_array()[d.below(required->get_array().size())].as_string());
    object->erase(name);
    return is("Required", p.path.empty() ? name : p.path + '.' + name);
}
finding break_sizes(dice& d, const place& p)
{
    auto* list = p.value->if_array();
    if (!list || !has(*p.schema, "items")) return {};
    if (d.chance(50) && has(*p.schema, "minItems")) return list->clear(), is("Invalid", p.path);
    if (!has(*p.schema, "maxItems") || list->empty()) return {};
    while (list->size() < 4) list->push_back(list->front());
    return is("TooMany", p.path);
}
finding break_unique(dice&, const place& p)
{
    auto* list = p.value->if_array();
    const auto type = text_in(*p.schema, "x-kubernetes-list-type");
    if (!list || list->empty() || type.empty()) return {};
    const auto& first = list->front();
    const bool whole = type == "set" ? first.is_string() : first.is_object() && first.as_object().contains("key");
    if (!whole) return {};
    for (std::size_t i = 1; i < list->size(); ++i)
        if ((*list)[i] == first) return {};
    list->push_back(json::value(first));
    return is("Duplicate", p.field + '[' + std::to_string(list->size() - 1) + ']');
}
finding break_members(dice& d, const place& p)
{
    auto* object = p.value->if_object();
    if (!object || !has(*p.schema, "additionalProperties")) return {};
    if (d.chance(50) && has(*p.schema, "minProperties")) return object->clear(), is("Invalid", p.path);
    if (!has(*p.schema, "maxProperties") || object->empty()) return {};
    const auto sample = object->begin()->value();
    for (int i = 0; object->size() < 4; ++i) (*object)["more" + std::to_string(i)] = sample;
    return is("TooMany", p.path);
}
finding break_names(dice&, const place& p)
{
    auto* object = p.value->if_object();
    if (!object || !has(*p.schema, "properties")) return {};
    (*object)["bogus"] = 1;
    return "unknown|" + (p.path.empty() ? text("bogus") : p.path + ".bogus");
}

} // namespace

// NOLINTNEXTLINE(misc-no-recursion): as deep as the schema
json::object random_schema(dice& d, int depth)
{
    json::object properties;
    json::array required;
    for (auto n = d.between(1, 4); n > 0; --n) {
        const auto name = "p" + std::to_string(n);
        auto schema = any_schema(d, depth);
        const bool is_required = d.chance(50);
        if (is_required) required.emplace_back(name);
        if (d.chance(is_required ? 15 : 30) && !has(schema, "properties"))
            schema["default"] = matching_value(d, schema);
        properties[name] = std::move(schema);
    }
    json::object out{{"type", "object"}, {"properties", std::move(properties)}};
    if (!required.empty()) out["required"] = std::move(required);
    return out;
}

// NOLINTNEXTLINE(misc-no-recursion)
json::value matching_value(dice& d, const json::object& schema)
{
    const auto type = text_in(schema, "type");
    if (type == "string") return matching_text(d, schema);
    if (type == "boolean") return d.chance(50);
    if (type == "array") return matching_list(d, schema);
    if (type == "integer" || type == "number") {
        const auto least = number_in(schema, "minimum", number_in(schema, "maximum", 10) - 10);
        return d.between(least, number_in(schema, "maximum", least + 10));
    }
    json::object out;
    if (const auto* others = schema.if_contains("additionalProperties"))
        for (auto n = d.between(1, 3); n > 0; --n)
            out["x" + std::to_string(n)] = matching_value(d, others->get_object());
    const auto* required = schema.if_contains("required");
    if (const auto* properties = schema.if_contains("properties"))
        for (const auto& [name, sub] : properties->get_object()) {
            const bool needed =
                required && std::ranges::find(required->get_array(), json::value(name)) != required->get_array().end();
            if (needed || d.chance(70)) out[name] = matching_value(d, sub.get_object());
        }
    return out;
}

finding break_one(dice& d, const json::object& schema, json::value& v)
{
    static constexpr breaker ways[] = {break_text,     break_length, break_bound,  break_type,    break_null,
                                       break_required, break_sizes,  break_unique, break_members, break_names};
    std::vector<place> places;
    collect(schema, v, {}, {}, places);
    const auto& at = places[d.below(places.size())];
    return ways[d.below(std::size(ways))](d, at);
}

} // namespace checks_test
