#include "schema/schema.hpp"

#include "render/json_text.hpp"
#include "render/status_errors.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace kubecoro::apiserver {
namespace {

bool flag(const json::value& schema, std::string_view name)
{
    const auto* v = find_at(schema, name);
    return v && v->is_bool() && v->get_bool();
}

bool open_object(const json::value& schema)
{
    // Does not use find_at, which splits names at dots.
    const auto* o = schema.if_object();
    const auto* preserve = o ? o->if_contains("x-kubernetes-preserve-unknown-fields") : nullptr;
    return !o || (preserve && preserve->is_bool() && preserve->get_bool());
}

const json::value* property(const json::value& schema, std::string_view name)
{
    const auto* properties = object_at(schema, "properties");
    return properties ? properties->if_contains(name) : nullptr;
}

const json::value* additional(const json::value& schema)
{
    const auto* v = find_at(schema, "additionalProperties");
    return v && (v->is_object() || (v->is_bool() && v->get_bool())) ? v : nullptr;
}

bool reserved(std::string_view path, std::string_view name)
{
    return path.empty() && (name == "kind" || name == "apiVersion" || name == "metadata");
}

std::string joined(std::string_view path, std::string_view name)
{
    return path.empty() ? std::string(name) : std::string(path) + "." + std::string(name);
}

/// Calls `unknown(object, key, path)` for every member that the schema does not specify.
template<class Value, class Unknown>
void walk_unknown(const json::value& schema, Value& v, const std::string& path, const Unknown& unknown)
{
    if (v.is_array()) {
        const auto* items = find_at(schema, "items");
        std::size_t i = 0;
        if (items)
            for (auto& item : v.get_array())
                walk_unknown(*items, item, path + "[" + std::to_string(i++) + "]", unknown);
        return;
    }
    if (!v.is_object()) return;
    const auto* embedded = find_at(schema, "x-kubernetes-embedded-resource");
    for (auto& member : v.get_object()) {
        const std::string_view key = member.key();
        if (reserved(path, key) || (embedded && reserved({}, key))) continue;
        const auto* sub = property(schema, key);
        if (!sub) sub = additional(schema);
        if (sub)
            walk_unknown(*sub, member.value(), joined(path, key), unknown);
        else if (!open_object(schema))
            unknown(v.get_object(), key, joined(path, key));
    }
}

} // namespace

std::string_view json_type(const json::value& v)
{
    switch (v.kind()) {
    case json::kind::null:
        return "null";
    case json::kind::bool_:
        return "boolean";
    case json::kind::string:
        return "string";
    case json::kind::array:
        return "array";
    case json::kind::object:
        return "object";
    case json::kind::double_:
        return "number";
    default:
        return "integer";
    }
}

namespace {

/// Maximum number of causes: every item of a long list may be invalid.
constexpr std::size_t most_causes = 100;

bool type_fits(std::string_view wanted, const json::value& schema, const json::value& v)
{
    const auto have = json_type(v);
    const auto* either = schema.get_object().if_contains("x-kubernetes-int-or-string");
    if (either && either->is_bool() && either->get_bool()) return have == "integer" || have == "string";
    if (wanted.empty() || wanted == have) return true;
    return wanted == "number" && have == "integer";
}

double number(const json::value& v)
{
    if (v.is_int64()) return static_cast<double>(v.get_int64());
    if (v.is_uint64()) return static_cast<double>(v.get_uint64());
    return v.is_double() ? v.get_double() : 0;
}

void check_bounds(const json::value& schema, const json::value& v, const std::string& path,
                  std::vector<status_cause>& causes)
{
    const auto bound = [&](std::string_view key, auto broken, std::string_view words) {
        const auto* limit = find_at(schema, key);
        if (limit && limit->is_number() && broken(number(v), number(*limit)))
            causes.push_back(errors::invalid_value(
                path, to_text(v), path + " in body should be " + std::string(words) + " " + to_text(*limit)));
    };
    if (v.is_number()) {
        bound(
            "minimum", [](double a, double b) { return a < b; }, "greater than or equal to");
        bound(
            "maximum", [](double a, double b) { return a > b; }, "less than or equal to");
    }
    const auto limit = [&](std::string_view key) { return int_at(schema, key, -1); };
    if (v.is_string()) {
        const auto size = static_cast<std::int64_t>(v.get_string().size());
        if (limit("maxLength") >= 0 && size > limit("maxLength"))
            causes.push_back(errors::too_long(path, std::to_string(limit("maxLength"))));
        if (size < limit("minLength"))
            causes.push_back(errors::invalid_value(path, quoted(v.get_string()),
                                                   path + " in body should be at least " +
                                                       std::to_string(limit("minLength")) + " chars long"));
    }
    if (v.is_array()) {
        const auto size = static_cast<std::int64_t>(v.get_array().size());
        if (limit("maxItems") >= 0 && size > limit("maxItems"))
            causes.push_back({"FieldValueTooMany",
                              "Too many: " + std::to_string(size) + ": must have at most " +
                                  std::to_string(limit("maxItems")) + " items",
                              path});
        if (size < limit("minItems"))
            causes.push_back(errors::invalid_value(path, std::to_string(size),
                                                   path + " in body should have at least " +
                                                       std::to_string(limit("minItems")) + " items"));
    }
}

/// The values of each enum as an index, built on first use, since both the enum and the list checked against it may be
/// long.
using enum_index = std::map<const json::array*, std::set<std::string>>;

void check_enum(const json::value& schema, const json::value& v, const std::string& path, enum_index& enums,
                std::vector<status_cause>& causes)
{
    const auto* allowed = array_at(schema, "enum");
    if (!allowed) return;
    auto& known = enums[allowed];
    if (known.empty())
        for (const auto& a : *allowed) known.insert(to_text(a));
    if (known.contains(to_text(v))) return;
    std::string list;
    for (std::size_t i = 0; i < std::min<std::size_t>(allowed->size(), 100); ++i)
        list += (i == 0 ? "" : ", ") + quoted(scalar_text((*allowed)[i]));
    causes.push_back(errors::not_supported(path, to_text(v), list));
}

void validate_value(const json::value& schema, const json::value& v, const std::string& path, enum_index& enums,
                    std::vector<status_cause>& causes)
{
    if (causes.size() >= most_causes) return;
    if (!schema.is_object() || (v.is_null() && flag(schema, "nullable"))) return;
    const auto wanted = text_at(schema, "type");
    if (!type_fits(wanted, schema, v)) {
        const auto have = quoted(json_type(v));
        causes.push_back(
            {"FieldValueTypeInvalid",
             "Invalid value: " + have + ": " + path + " in body must be of type " + std::string(wanted) + ": " + have,
             path});
        return;
    }
    check_enum(schema, v, path, enums, causes);
    check_bounds(schema, v, path, causes);
    if (const auto* array = v.if_array()) {
        if (const auto* items = find_at(schema, "items"))
            for (std::size_t i = 0; i < array->size(); ++i)
                validate_value(*items, (*array)[i], path + "[" + std::to_string(i) + "]", enums, causes);
        return;
    }
    const auto* object = v.if_object();
    if (!object) return;
    if (const auto* required = array_at(schema, "required"))
        for (const auto& name : *required)
            if (name.is_string() && !object->if_contains(name.get_string()) && causes.size() < most_causes)
                causes.push_back(errors::required(joined(path, name.get_string())));
    std::map<std::string_view, const json::value*> members;
    for (const auto& [key, member] : *object) members.emplace(key, &member);
    for (const auto& [key, member] : members) {
        if (reserved(path, key)) continue;
        const auto* sub = property(schema, key);
        if (!sub) sub = additional(schema);
        if (sub) validate_value(*sub, *member, joined(path, key), enums, causes);
    }
}

/// One index of enums for all of them: those of a container and of what it contains meet the same ones.
struct default_check
{
    std::vector<status_cause>& causes;
    enum_index enums = {};

    /// @param has_metadata  Members of an object that a kube-apiserver knows by itself are not unknown.
    void walk(const json::value& schema, const std::string& path, bool has_metadata)
    {
        if (const auto* given = find_at(schema, "default"); given && !given->is_null())
            check(schema, *given, path + ".default", has_metadata);
        if (const auto* items = find_at(schema, "items")) walk(*items, path + ".items", false);
        // As in kube-apiserver not below additionalProperties.
        if (const auto* properties = object_at(schema, "properties"))
            for (const auto& [name, sub] : *properties)
                walk(sub, path + ".properties[" + std::string(name) + "]", has_metadata && reserved({}, name));
    }

private:
    void check(const json::value& schema, const json::value& given, const std::string& path, bool has_metadata)
    {
        bool unknown = false;
        if (!has_metadata)
            walk_unknown(schema, given, path, [&](const auto&, std::string_view, const auto&) { unknown = true; });
        if (unknown && causes.size() < most_causes)
            causes.push_back(errors::invalid_value(path, to_text(given), "must not have unknown fields"));
        validate_value(schema, given, path, enums, causes);
    }
};

bool blocks_rules(const status_cause& c)
{
    return c.reason == "FieldValueRequired" || c.reason == "FieldValueTypeInvalid" ||
           c.reason == "FieldValueNotSupported" || c.reason == "FieldValueTooLong" || c.reason == "FieldValueTooMany";
}

bool has_rules(const json::value& schema)
{
    const auto* object = schema.if_object();
    if (!object) return false;
    if (object->if_contains("x-kubernetes-validations")) return true;
    for (const std::string_view key : {"items", "additionalProperties"})
        if (const auto* sub = object->if_contains(key); sub && has_rules(*sub)) return true;
    if (const auto* properties = object_at(schema, "properties"))
        for (const auto& p : *properties)
            if (has_rules(p.value())) return true;
    return false;
}

} // namespace

namespace {

/// Bounds defaulting: the defaults of a list's items multiply with the length of the list.
struct default_allowance
{
    std::size_t bytes = 8u << 20;
    std::size_t steps = 20'000'000;

    [[nodiscard]] bool step() { return steps > 0 && steps-- > 0; }
    [[nodiscard]] bool spend(const json::value& given)
    {
        const std::size_t size = to_text(given).size();
        if (size > bytes) return false;
        bytes -= size;
        return true;
    }
};

bool fill(const json::value& schema, json::value& body, default_allowance& left)
{
    if (auto* array = body.if_array()) {
        const auto* items = find_at(schema, "items");
        return !items ||
               std::all_of(array->begin(), array->end(), [&](auto& item) { return fill(*items, item, left); });
    }
    auto* object = body.if_object();
    if (!object) return true;
    if (const auto* properties = object_at(schema, "properties"))
        for (const auto& [key, sub] : *properties) {
            if (!left.step()) return false;
            const auto* given = find_at(sub, "default");
            if (given && !object->if_contains(key)) {
                if (!left.spend(*given)) return false;
                object->emplace(key, *given);
            }
            if (auto* member = object->if_contains(key); member && !fill(sub, *member, left)) return false;
        }
    const auto* others = additional(schema);
    if (others && others->is_object())
        for (auto& member : *object)
            if (!property(schema, member.key()) && !fill(*others, member.value(), left)) return false;
    return true;
}

} // namespace

bool apply_schema_defaults(const json::value& schema, json::value& body)
{
    default_allowance left;
    return fill(schema, body, left);
}

std::vector<std::string> unknown_to_schema(const json::value& schema, const json::value& body)
{
    std::vector<std::string> paths;
    if (schema.is_object())
        walk_unknown(schema, body, {}, [&](const json::object&, std::string_view, std::string path) {
            paths.push_back(std::move(path));
        });
    std::sort(paths.begin(), paths.end());
    return paths;
}

void prune(const json::value& schema, json::value& body)
{
    if (!schema.is_object()) return;
    std::vector<std::pair<json::object*, std::string>> doomed;
    walk_unknown(schema, body, {}, [&](json::object& parent, std::string_view key, const std::string&) {
        doomed.emplace_back(&parent, std::string(key));
    });
    // In reverse order: erasing moves only members of the same object.
    for (auto it = doomed.rbegin(); it != doomed.rend(); ++it) it->first->erase(it->second);
}

void validate_schema(const json::value& schema, const json::value& body, std::vector<status_cause>& causes)
{
    std::vector<status_cause> found;
    enum_index enums;
    validate_value(schema, body, {}, enums, found);
    if (std::any_of(found.begin(), found.end(), blocks_rules) && has_rules(schema))
        found.push_back(errors::invalid_value("<nil>", "null",
                                              "some validation rules were not checked because the object was invalid; "
                                              "correct the existing errors to complete validation"));
    causes.insert(causes.end(), found.begin(), found.end());
}

void validate_defaults(const json::value& schema, const std::string& path, std::vector<status_cause>& causes)
{
    default_check{causes}.walk(schema, path, true);
}

} // namespace kubecoro::apiserver
