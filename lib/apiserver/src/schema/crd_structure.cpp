#include "schema/crd_validation.hpp"

#include "text/json_text.hpp"

#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/api/detail/pattern.hpp>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>

namespace kubecoro::apiserver {
namespace {

using detail::array_in;
using detail::is_true_in;
using detail::object_in;
using detail::text_in;
using errors::forbidden_field;
using errors::invalid_value;
using errors::required;

enum class level
{
    root,
    item,
    field
};

/// The alternatives that int-or-string is written with.
bool is_int_or_string(const json::object& schema)
{
    static const json::value pattern = json::parse(R"([{"type":"integer"},{"type":"string"}])");
    const auto* any = schema.if_contains("anyOf");
    return any && *any == pattern;
}

bool begins_with_int_or_string(const json::object& schema)
{
    const auto* all = array_in(schema, "allOf");
    return all && !all->empty() && all->front().is_object() && is_int_or_string(all->front().get_object());
}

/// A zero value, which Go does not tell from an absent one.
bool is_nothing(const json::value& v)
{
    return v.is_null() || (v.is_bool() && !v.get_bool()) || (v.is_string() && v.get_string().empty()) ||
           (v.is_array() && v.get_array().empty()) || (v.is_object() && v.get_object().empty());
}

struct forbidden_member
{
    std::string_view name;
    std::string_view why;
};

constexpr forbidden_member not_nested[] = {
    {"type", "must be empty to be structural"},
    {"default", "must be undefined to be structural"},
    {"title", "must be empty to be structural"},
    {"description", "must be empty to be structural"},
    {"nullable", "must be false to be structural"},
    {"x-kubernetes-preserve-unknown-fields", "must be false to be structural"},
    {"x-kubernetes-embedded-resource", "must be false to be structural"},
    {"x-kubernetes-int-or-string", "must be false to be structural"},
    {"x-kubernetes-list-map-keys", "must be empty to be structural"},
    {"x-kubernetes-list-type", "must be undefined to be structural"},
    {"x-kubernetes-map-type", "must be undefined to be structural"},
    {"x-kubernetes-validations", "must be empty to be structural"},
};

class structure_check
{
public:
    void check(const json::object& schema, level where, const schema_place& at)
    {
        if (out_.is_full()) return;
        check_parts(schema, where, at);
        check_values(schema, is_int_or_string(schema), begins_with_int_or_string(schema), at);
        check_type(schema, where, at);
        check_extensions(schema, at);
        check_metadata(schema, where, at);
    }

    /// Checks that what anyOf and its like speak of is defined outside of them.
    void check_complete(const json::object& values, const json::object* schema, const schema_place& of_schema,
                        const schema_place& of_values)
    {
        for_each_nested(values, of_values, [&](const json::object& nested, const schema_place& at, bool) {
            check_nested_complete(nested, schema, of_schema, at);
        });
    }

    [[nodiscard]] std::vector<status_cause> take() && { return std::move(out_).take(); }

private:
    /// @param each  Called with the schema, its place, and whether it is the first one of allOf.
    template<class Each>
    void for_each_nested(const json::object& schema, const schema_place& at, const Each& each)
    {
        for (const auto& [name, step] : {std::pair<std::string_view, std::string_view>{"anyOf", ".anyOf"},
                                         {"allOf", ".allOf"},
                                         {"oneOf", ".oneOf"}}) {
            const auto* parts = array_in(schema, name);
            for (std::size_t i = 0; parts && i < parts->size() && !out_.is_full(); ++i)
                if (const auto* nested = (*parts)[i].if_object())
                    each(*nested, schema_place{&at, step, {}, i}, i == 0 && name == "allOf");
        }
        if (const auto* nested = object_in(schema, "not")) each(*nested, schema_place{&at, ".not"}, false);
    }

    void check_parts(const json::object& schema, level where, const schema_place& at)
    {
        const auto* items = object_in(schema, "items");
        if (!items && text_in(schema, "type") == "array") out_.add(required(at.text(".items"), "must be specified"));
        if (items) check(*items, level::item, {&at, ".items"});
        if (const auto* properties = object_in(schema, "properties"))
            for (const auto& [name, sub] : *properties)
                if (const auto* property = sub.if_object())
                    check(*property, level::field, {&at, ".properties", std::string_view(name)});
        const auto* others = schema.if_contains("additionalProperties");
        if (!others) return;
        if (where == level::root)
            out_.add(forbidden_field(at.text(".additionalProperties"), "must not be used at the root"));
        if (const auto* other = others->if_object()) check(*other, level::field, {&at, ".additionalProperties"});
    }

    void check_type(const json::object& schema, level where, const schema_place& at)
    {
        const auto type = text_in(schema, "type");
        const auto field = [&] { return at.text(".type"); };
        if (is_true_in(schema, "x-kubernetes-embedded-resource") && type != "object") {
            constexpr std::string_view why = "must be object if x-kubernetes-embedded-resource is true";
            out_.add(type.empty() ? required(field(), why) : invalid_value(field(), quote(type), why));
        } else if (type.empty() && !is_true_in(schema, "x-kubernetes-int-or-string") &&
                   !is_true_in(schema, "x-kubernetes-preserve-unknown-fields")) {
            out_.add(required(field(), where == level::root   ? "must not be empty at the root"
                                       : where == level::item ? "must not be empty for specified array items"
                                                              : "must not be empty for specified object fields"));
        }
        if (where == level::root && !type.empty() && type != "object")
            out_.add(invalid_value(field(), quote(type), "must be object at the root"));
    }

    void check_extensions(const json::object& schema, const schema_place& at)
    {
        const bool embedded = is_true_in(schema, "x-kubernetes-embedded-resource");
        const bool open = is_true_in(schema, "x-kubernetes-preserve-unknown-fields");
        if (is_true_in(schema, "x-kubernetes-int-or-string"))
            for (const std::string_view name : {"preserve-unknown-fields", "embedded-resource"})
                if (is_true_in(schema, "x-kubernetes-" + std::string(name)))
                    out_.add(invalid_value(at.text(".x-kubernetes-") + std::string(name), "true",
                                           "must be false if x-kubernetes-int-or-string is true"));
        if (embedded && schema.contains("additionalProperties"))
            out_.add(forbidden_field(at.text(".additionalProperties"),
                                     "must not be used if x-kubernetes-embedded-resource is set"));
        const auto* properties = object_in(schema, "properties");
        if (embedded && !open && (!properties || properties->empty()))
            out_.add(required(at.text(".properties"), "must not be empty if x-kubernetes-embedded-resource is true "
                                                      "without x-kubernetes-preserve-unknown-fields"));
    }

    /// The server has kind, apiVersion and metadata by itself: a schema restricts names at most.
    void check_metadata(const json::object& schema, level where, const schema_place& at)
    {
        const auto* properties = object_in(schema, "properties");
        const bool has_metadata = where == level::root || is_true_in(schema, "x-kubernetes-embedded-resource");
        if (!properties || !has_metadata) return;
        for (const std::string_view name : {"kind", "apiVersion", "metadata"}) {
            const auto* found = object_in(*properties, name);
            if (!found) continue;
            const schema_place place{&at, ".properties", name};
            const std::string_view wanted = name == "metadata" ? "object" : "string";
            if (text_in(*found, "type") != wanted)
                out_.add(invalid_value(place.text(".type"), quote(text_in(*found, "type")),
                                       "must be " + std::string(wanted)));
            if (name == "metadata" && where == level::root && restricts_more_than_names(*found))
                out_.add(forbidden_field(place.text(),
                                         "must not specify anything other than name and generateName, but "
                                         "metadata is implicitly specified"));
        }
    }

    static bool restricts_more_than_names(const json::object& metadata)
    {
        return std::any_of(metadata.begin(), metadata.end(), [](const auto& member) {
            if (member.key() == "type" || member.key() == "default" || is_nothing(member.value())) return false;
            const auto* names = member.key() == "properties" ? member.value().if_object() : nullptr;
            return !names || std::any_of(names->begin(), names->end(), [](const auto& property) {
                return property.key() != "name" && property.key() != "generateName";
            });
        });
    }

    void check_values(const json::object& schema, bool skip_any, bool skip_first, const schema_place& at)
    {
        for_each_nested(schema, at, [&](const json::object& nested, const schema_place& place, bool is_first) {
            if (skip_any && place.step == ".anyOf") return;
            check_nested(nested, is_first && skip_first, place);
        });
        const auto expression = text_in(schema, "pattern");
        if (expression.empty()) return;
        if (const auto problem = detail::pattern(expression).problem(); !problem.empty())
            out_.add(invalid_value(at.text(".pattern"), quote(expression),
                                   "must be a valid regular expression, but isn't: " + problem));
    }

    /// A schema below anyOf, allOf, oneOf or not.
    void check_nested(const json::object& schema, bool skip_any, const schema_place& at)
    {
        if (out_.is_full()) return;
        check_values(schema, skip_any, false, at);
        if (const auto* items = object_in(schema, "items")) check_nested(*items, false, {&at, ".items"});
        if (const auto* properties = object_in(schema, "properties"))
            for (const auto& [name, sub] : *properties) {
                const schema_place place{&at, ".properties", std::string_view(name)};
                if (const auto* property = sub.if_object()) check_nested(*property, false, place);
                if (std::string_view(name) == "metadata")
                    out_.add(forbidden_field(place.text(), "must not be specified in a nested context"));
            }
        for (const auto& member : not_nested)
            if (const auto* v = schema.if_contains(member.name); v && !is_nothing(*v))
                out_.add(forbidden_field(at.text(".") + std::string(member.name), member.why));
        const auto* others = schema.if_contains("additionalProperties");
        if (others && (others->is_object() || (others->is_bool() && others->get_bool())))
            out_.add(forbidden_field(at.text(".additionalProperties"), "must be undefined to be structural"));
    }

    void check_nested_complete(const json::object& nested, const json::object* schema, const schema_place& of_schema,
                               const schema_place& at)
    {
        if (out_.is_full()) return;
        if (!schema) {
            out_.add(required(of_schema.text(), "because it is defined in " + at.text()));
            return;
        }
        check_complete(nested, schema, of_schema, at);
        if (const auto* items = object_in(nested, "items"))
            check_nested_complete(*items, object_in(*schema, "items"), {&of_schema, ".items"}, {&at, ".items"});
        const auto* properties = object_in(nested, "properties");
        const auto* known = object_in(*schema, "properties");
        if (!properties) return;
        for (const auto& [name, sub] : *properties)
            if (const auto* property = sub.if_object())
                check_nested_complete(*property, known ? object_in(*known, name) : nullptr,
                                      {&of_schema, ".properties", std::string_view(name)},
                                      {&at, ".properties", std::string_view(name)});
    }

    schema_causes out_;
};

} // namespace

std::vector<status_cause> structural_problems(const json::object& schema, const schema_place& at)
{
    structure_check check;
    check.check(schema, level::root, at);
    check.check_complete(schema, &schema, at, at);
    auto causes = std::move(check).take();
    const auto text_of = [](const status_cause& cause) { return cause.field + ": " + cause.message; };
    std::sort(causes.begin(), causes.end(), [&](const auto& a, const auto& b) { return text_of(a) < text_of(b); });
    return causes;
}

} // namespace kubecoro::apiserver
