// Turns JSON schemas into messages, and finds the values that they name: those of `enum`, also within `allOf`, `oneOf` and `anyOf`.
#include "model/schema_reader.hpp"

#include "model/names.hpp"

#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/api/detail/quantity_text.hpp>
#include <kubecoro/api/detail/time_text.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace kubecoro::codegen {

namespace json = boost::json;

namespace {

/// Values as JSON texts, in the order of the schema. None if the schema allows values that it does not name.
using enumeration = std::optional<std::vector<std::string>>;
using texts = std::vector<std::string>;
using by_name = std::map<std::string, enumeration>;

/// Schemas within each other without a property between them: more is no schema that people write.
constexpr int deepest_list = 8;

texts each_once(texts all)
{
    std::set<std::string> seen;
    std::erase_if(all, [&](const std::string& text) { return !seen.insert(text).second; });
    return all;
}

enumeration both(enumeration a, const enumeration& b)
{
    if (!a) return b;
    if (!b) return a;
    const std::set<std::string_view> others(b->begin(), b->end());
    std::erase_if(*a, [&](const std::string& text) { return !others.contains(text); });
    return a;
}

enumeration either(enumeration a, const enumeration& b)
{
    if (!a || !b) return std::nullopt;
    a->insert(a->end(), b->begin(), b->end());
    return a;
}

by_name both(by_name a, const by_name& b)
{
    for (const auto& [name, values] : b) a[name] = both(std::move(a[name]), values);
    return a;
}

by_name either(by_name a, const by_name& b)
{
    for (auto& [name, values] : a) {
        const auto other = b.find(name);
        values = either(std::move(values), other == b.end() ? std::nullopt : other->second);
    }
    // So that a name costs nothing in the branches behind the one that does not limit it.
    std::erase_if(a, [](const auto& rule) { return !rule.second; });
    return a;
}

/// Joins what the schemas of `allOf`, `oneOf` and `anyOf` say with what the schema itself says.
template<class Rules, class Read>
Rules with_branches(Rules own, const json::object& schema, const Read& read)
{
    for (const std::string_view list : {"allOf", "oneOf", "anyOf"}) {
        const auto* branches = detail::array_in(schema, list);
        if (branches == nullptr || branches->empty()) continue;
        std::optional<Rules> joined;
        for (const auto& branch : *branches) {
            auto rules = branch.is_object() ? read(branch.get_object()) : Rules{};
            if (!joined)
                joined = std::move(rules);
            else
                joined = list == "allOf" ? both(std::move(*joined), rules) : either(std::move(*joined), rules);
        }
        own = both(std::move(own), *joined);
    }
    return own;
}

// NOLINTNEXTLINE(misc-no-recursion)
enumeration read_values(const json::object& schema, int depth)
{
    if (depth > deepest_list) return std::nullopt;
    enumeration own;
    if (const auto* values = detail::array_in(schema, "enum")) {
        own.emplace();
        for (const auto& value : *values) own->push_back(json::serialize(value));
    }
    // NOLINTNEXTLINE(misc-no-recursion)
    return with_branches(std::move(own), schema, [&](const json::object& o) { return read_values(o, depth + 1); });
}

/// Returns the values that satisfy `enum`, every schema of `allOf`, and one of `oneOf` and of `anyOf`. Other rules may
/// refuse some of them.
enumeration enumeration_of(const json::object& schema) { return read_values(schema, 0); }

// NOLINTNEXTLINE(misc-no-recursion)
by_name read_properties(const json::object& schema, int depth)
{
    if (depth > deepest_list) return {};
    by_name own;
    // Those of the object itself are read with its fields.
    if (const auto* properties = depth > 0 ? detail::object_in(schema, "properties") : nullptr)
        for (const auto& property : *properties)
            if (property.value().is_object())
                if (auto values = enumeration_of(property.value().get_object()))
                    own[property.key()] = std::move(values);
    // NOLINTNEXTLINE(misc-no-recursion)
    return with_branches(std::move(own), schema, [&](const json::object& o) { return read_properties(o, depth + 1); });
}

template<class Int>
std::optional<std::string> whole(const json::value& v)
{
    // The least number has no literal.
    const auto* n = v.if_int64();
    if (n == nullptr || *n <= std::numeric_limits<Int>::min() || *n > std::numeric_limits<Int>::max())
        return std::nullopt;
    return std::to_string(*n);
}

/// The literal of C++, or the text, of a value that has the type.
std::optional<std::string> constant_of(const json::value& v, scalar type)
{
    if (type == scalar::string && v.is_string()) return std::string(v.get_string());
    if (type == scalar::int32) return whole<std::int32_t>(v);
    if (type == scalar::int64) return whole<std::int64_t>(v);
    if (type != scalar::number || !v.is_number()) return std::nullopt;
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), v.to_number<double>()).ptr;
    return std::string(digits.data(), end);
}

/// Returns by name what an object's `allOf`, `oneOf` and `anyOf` demand of its properties.
by_name enumerations_of_properties(const json::object& schema) { return read_properties(schema, 0); }

/// Adds the values of a type to its shape, or keeps those that were there before. Null and values of other types have
/// no constant.
void limit_values(value_shape& shape, const enumeration& values)
{
    if (!values || shape.kind != value_shape::form::scalar) return;
    texts constants;
    for (const auto& text : *values)
        if (auto constant = constant_of(json::parse(text), shape.scalar)) constants.push_back(std::move(*constant));
    constants = each_once(std::move(constants));
    shape.values = shape.values.empty() ? constants : both(std::move(shape.values), constants).value();
}

using form = value_shape::form;

constexpr std::size_t max_depth = 64;
constexpr std::size_t max_properties = 100'000;
constexpr std::size_t max_property_name = 256;
/// Names of messages that are longer leave out the middle of the path.
constexpr std::size_t max_message_name = 240;

value_shape shape_of_scalar(scalar s) { return {form::scalar, s, {}, {}}; }

/// "fooBar" -> "FooBar", "foo-bar.baz" -> "FooBarBaz".
std::string capitalised(std::string_view name)
{
    std::string out;
    bool begins = true;
    for (const char c : name) {
        const bool lower = c >= 'a' && c <= 'z';
        const bool other = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (lower || other) out += lower && begins ? static_cast<char>(c - 'a' + 'A') : c;
        begins = !lower && !other;
    }
    return out.empty() ? "Field" : out;
}

scalar scalar_of(const json::object& schema, std::string_view type)
{
    const auto format = detail::text_in(schema, "format");
    if (type == "boolean") return scalar::boolean;
    if (type == "number") return scalar::number;
    if (type == "integer") return format == "int32" ? scalar::int32 : scalar::int64;
    if (format == "date-time")
        return detail::text_in(schema, "pattern") == detail::micro_time_pattern ? scalar::micro_time : scalar::time;
    if (format == "byte") return scalar::bytes;
    if (format == "duration") return scalar::duration;
    if (format == "int-or-string") return scalar::int_or_string;
    return scalar::string;
}

bool mentions(const json::object& schema, std::string_view list, std::string_view name)
{
    const auto* names = detail::array_in(schema, list);
    return names != nullptr && std::ranges::any_of(*names, [&](const json::value& v) {
               return v.is_string() && std::string_view(v.get_string()) == name;
           });
}

/// The one schema of `allOf`, with which OpenAPI gives a reference a description of its own.
const json::value* single_all_of(const json::object& schema)
{
    const auto* all = detail::array_in(schema, "allOf");
    return all != nullptr && all->size() == 1 ? &all->front() : nullptr;
}

} // namespace

void schema_reader::reserve(const std::string& message)
{
    if (!used_.insert(type_name_of(message).qualified()).second)
        path_.fail("the type " + type_name_of(message).qualified() + " is there already");
}

void schema_reader::keep(const std::string& message) { used_.insert(type_name_of(message).qualified()); }

// NOLINTNEXTLINE(misc-no-recursion)
value_shape schema_reader::shape_of_named(const json::value& schema, const std::string& name)
{
    const auto before = std::exchange(root_, name);
    const auto property = std::exchange(property_, {});
    auto out = shape_of(schema, name);
    root_ = before;
    property_ = property;
    return out;
}

void schema_reader::add(const std::string& message, const json::object& schema, bool is_kind)
{
    root_ = message;
    codegen::message m{message, std::string(detail::text_in(schema, "description"))};
    if (is_kind) m.fields.push_back({"metadata", {form::message, {}, std::string(object_meta), {}}});
    add_fields(m, schema, is_kind);
    if (is_kind) to_.messages.emplace(object_meta, codegen::message{std::string(object_meta)});
    to_.messages.insert_or_assign(message, std::move(m));
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the schema, which is limited
void schema_reader::add_fields(message& to, const json::object& schema, bool is_kind)
{
    const auto* properties = detail::object_in(schema, "properties");
    if (properties == nullptr) return;
    const bool resource = is_kind || detail::is_true_in(schema, "x-kubernetes-embedded-resource");
    const auto rules = enumerations_of_properties(schema);
    const document_path::step in(path_, "properties");
    for (const auto& property : *properties) {
        const std::string name(property.key());
        // Checked before the path has the name, so that errors can be shown.
        if (name.size() > max_property_name) path_.fail("a name of more than 256 characters");
        if (std::ranges::any_of(name, [](char c) { return (c >= 0 && c < 0x20) || c == 0x7f; }))
            path_.fail("a name with control characters");
        const document_path::step at(path_, name);
        if (++properties_ > max_properties) path_.fail("more than 100000 properties");
        if (is_kind && (name == "apiVersion" || name == "kind" || name == "metadata")) continue;
        field f{name, {}};
        const auto* described = property.value().if_object();
        if (described != nullptr) f.description = detail::text_in(*described, "description");
        const bool nullable = described != nullptr && detail::is_true_in(*described, "nullable");
        f.required = mentions(schema, "required", name);
        const bool filled = f.required || (described != nullptr && described->if_contains("default") != nullptr);
        // As in the built-in kinds, these are there even if the schema does not require them.
        const bool part_of_kind = is_kind && (name == "spec" || name == "status");
        f.optional = nullable || !(filled || part_of_kind);
        property_ = name;
        const bool has_meta = resource && name == "metadata";
        if (has_meta) to_.messages.emplace(object_meta, codegen::message{std::string(object_meta)});
        f.type = has_meta ? value_shape{form::message, {}, std::string(object_meta), {}}
                          : shape_of(property.value(), to.name + capitalised(name));
        if (const auto rule = rules.find(name); rule != rules.end()) limit_values(f.type, rule->second);
        to.fields.push_back(std::move(f));
    }
    if (resource && !is_kind) add_names_of_resource(to);
}

/// The server knows these in an embedded resource even if its schema does not name them.
void schema_reader::add_names_of_resource(message& to)
{
    to_.messages.emplace(object_meta, codegen::message{std::string(object_meta)});
    auto next = to.fields.begin();
    for (const std::string_view name : {"apiVersion", "kind", "metadata"}) {
        if (std::ranges::find(to.fields, name, &field::name) != to.fields.end()) continue;
        field f{std::string(name), shape_of_scalar(scalar::string)};
        if (name == "metadata") f.type = {form::message, {}, std::string(object_meta), {}};
        f.optional = true;
        next = std::next(to.fields.insert(next, std::move(f)));
    }
}

// NOLINTNEXTLINE(misc-no-recursion)
value_shape schema_reader::shape_of(const json::value& value, const std::string& name)
{
    // `true` is any JSON.
    if (value.is_bool()) return shape_of_scalar(scalar::json);
    const auto* schema = value.if_object();
    if (schema == nullptr) path_.fail("expected a schema, which is an object");
    if (++depth_ > max_depth) path_.fail("more than 64 schemas within each other");
    const auto shape = shape_of_object(*schema, name);
    --depth_;
    return shape;
}

// NOLINTNEXTLINE(misc-no-recursion)
value_shape schema_reader::shape_of_object(const json::object& schema, const std::string& name)
{
    if (const auto ref = detail::text_in(schema, "$ref"); !ref.empty()) {
        const document_path::step at(path_, "$ref");
        if (!find_) path_.fail("a custom resource's schema must not have references");
        return find_(ref);
    }
    if (detail::is_true_in(schema, "x-kubernetes-int-or-string"))
        return shape_of_scalar(detail::text_in(schema, "pattern") == detail::quantity_pattern ? scalar::quantity
                                                                                              : scalar::int_or_string);
    const auto type = detail::text_in(schema, "type");
    if (type == "array") {
        const document_path::step at(path_, "items");
        const auto* items = schema.if_contains("items");
        return {form::list, {}, {}, {items != nullptr ? shape_of(*items, name) : shape_of_scalar(scalar::json)}};
    }
    if (type == "object") return message_shape(schema, name);
    if (type == "string" || type == "integer" || type == "number" || type == "boolean") {
        auto shape = shape_of_scalar(scalar_of(schema, type));
        limit_values(shape, enumeration_of(schema));
        return shape;
    }
    if (!type.empty()) path_.fail("unknown type " + std::string(type));
    if (const auto* all = find_ ? single_all_of(schema) : nullptr; all != nullptr) {
        const document_path::step at(path_, "allOf");
        return shape_of(*all, name);
    }
    return shape_of_scalar(scalar::json);
}

// NOLINTNEXTLINE(misc-no-recursion)
value_shape schema_reader::message_shape(const json::object& schema, const std::string& name)
{
    if (const auto* properties = detail::object_in(schema, "properties");
        properties != nullptr && !properties->empty()) {
        message m{unused(name), std::string(detail::text_in(schema, "description")), {}, property_};
        add_fields(m, schema, false);
        value_shape out{form::message, {}, m.name, {}};
        to_.messages.emplace(out.message, std::move(m));
        return out;
    }
    const auto* values = schema.if_contains("additionalProperties");
    if (values == nullptr || (values->is_bool() && !values->get_bool())) return shape_of_scalar(scalar::json);
    const document_path::step at(path_, "additionalProperties");
    return {form::map, {}, {}, {shape_of(*values, name)}};
}

std::string schema_reader::unused(const std::string& wanted)
{
    auto name = wanted;
    if (name.size() > root_.size() + max_message_name)
        name = root_ + wanted.substr(wanted.size() - max_property_name / 2);
    const auto base = name;
    // Goes on behind the last number, so that many parts of one name cost no more than others.
    while (!used_.insert(type_name_of(name).qualified()).second) {
        auto& last = numbers_[base];
        last = std::max<std::size_t>(last + 1, 2);
        name = base + std::to_string(last);
    }
    return name;
}

} // namespace kubecoro::codegen
