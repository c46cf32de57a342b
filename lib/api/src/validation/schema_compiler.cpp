#include "validation/schema_node.hpp"
#include <kubecoro/api/detail/go_format.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

constexpr std::size_t max_nodes = 200'000;
constexpr std::size_t max_depth = 100;
/// Bytes of the paths of all parts: a long name may stand above many of them.
constexpr std::size_t max_paths = std::size_t{64} << 20;

/// The text of a value in a list of allowed ones.
std::string allowed_text(const json::value& v)
{
    return go_quoted(v.is_string() ? std::string(v.get_string()) : go_json(v));
}

std::unique_ptr<const allowed_values> allowed_in(const json::array& values)
{
    auto out = std::make_unique<allowed_values>();
    for (const auto& v : values) {
        if (v.is_string())
            out->texts.emplace(v.get_string());
        else if (v.is_int64())
            out->integers.insert(v.get_int64());
        else if (v.is_number())
            out->numbers.insert(v.to_number<double>());
        else if (v.is_bool())
            out->booleans.insert(v.get_bool());
        else if (!v.is_null())
            out->composites.insert(go_json(v));
        out->detail += (out->detail.empty() ? "supported values: " : ", ") + allowed_text(v);
    }
    return out;
}

/// The formats that the server looks at with a type. It ignores the others.
bool is_looked_at(std::string_view type, std::string_view format)
{
    if (type == "integer") return format == "int32" || format == "int64";
    if (type == "number") return format == "float" || format == "double";
    return (type.empty() || type == "string" || type == "integer,string") && format_named(format) != nullptr;
}

class compiler
{
public:
    explicit compiler(compiled_schema& to) : to_(to) {}

    const schema_node* add(const json::value& v, const std::string& path, const std::string& field, std::size_t depth)
    {
        if (problem_) return nullptr;
        if (to_.nodes.size() >= max_nodes || depth > max_depth || !spend(path.size() + field.size()))
            return fail(path, "is nested too deeply, or too large");
        const auto* schema = v.if_object();
        if (schema == nullptr) return fail(path, "is no object");
        schema_node& node = to_.nodes.emplace_back();
        read_type(node, *schema, path);
        read_flags(node, *schema);
        read_limits(node, *schema, path);
        read_lists(node, *schema, path);
        read_rules(*schema, path, field);
        read_parts(node, *schema, path, field, depth);
        return &node;
    }

    [[nodiscard]] const std::optional<std::string>& problem() const noexcept { return problem_; }

private:
    std::nullptr_t fail(std::string_view path, std::string_view what)
    {
        if (!problem_)
            problem_ = (path.empty() ? std::string("the schema") : std::string(path)) + ' ' + std::string(what);
        return nullptr;
    }

    static bool flag(const json::object& schema, std::string_view name)
    {
        const auto* v = schema.if_contains(name);
        return v != nullptr && v->is_bool() && v->get_bool();
    }

    std::string text(const json::object& schema, std::string_view name, const std::string& path)
    {
        const auto* v = schema.if_contains(name);
        if (v == nullptr) return {};
        if (!v->is_string()) fail(path + '.' + std::string(name), "is no text");
        return v->is_string() ? std::string(v->get_string()) : std::string();
    }

    void read_type(schema_node& node, const json::object& schema, const std::string& path)
    {
        static constexpr std::array types{"array", "boolean", "integer", "number", "object", "string", ""};
        node.type = text(schema, "type", path);
        if (std::ranges::find(types, node.type) == types.end()) fail(path + ".type", "is none that schemas have");
        if (flag(schema, "x-kubernetes-int-or-string")) node.type = "integer,string";
        auto format = text(schema, "format", path);
        if (!is_looked_at(node.type, format)) return;
        node.has_format = format_named(format);
        node.format = std::move(format);
    }

    static void read_flags(schema_node& node, const json::object& schema)
    {
        node.nullable = flag(schema, "nullable");
        node.unique_items = flag(schema, "uniqueItems");
        node.preserves_unknown = flag(schema, "x-kubernetes-preserve-unknown-fields");
        node.is_embedded_resource = flag(schema, "x-kubernetes-embedded-resource");
        node.limits.exclusive_minimum = flag(schema, "exclusiveMinimum");
        node.limits.exclusive_maximum = flag(schema, "exclusiveMaximum");
        if (const auto* standard = schema.if_contains("default")) node.standard = *standard;
    }

    void read_limits(schema_node& node, const json::object& schema, const std::string& path)
    {
        const auto number = [&](std::string_view name, std::optional<double>& to) {
            const auto* v = schema.if_contains(name);
            if (v == nullptr) return;
            if (!v->is_number()) fail(path + '.' + std::string(name), "is no number");
            if (v->is_number()) to = v->to_number<double>();
        };
        const auto count = [&](std::string_view name, std::optional<std::int64_t>& to) {
            const auto* v = schema.if_contains(name);
            if (v == nullptr) return;
            boost::system::error_code error;
            to = v->is_number() ? v->to_number<std::int64_t>(error) : 0;
            if (!v->is_number() || error) fail(path + '.' + std::string(name), "is no whole number");
        };
        number("minimum", node.limits.minimum);
        number("maximum", node.limits.maximum);
        number("multipleOf", node.limits.multiple_of);
        count("minLength", node.limits.min_length);
        count("maxLength", node.limits.max_length);
        count("minItems", node.limits.min_items);
        count("maxItems", node.limits.max_items);
        count("minProperties", node.limits.min_properties);
        count("maxProperties", node.limits.max_properties);
        if (const auto expression = text(schema, "pattern", path); !expression.empty()) {
            node.matching = patterns_.compile(expression);
            if (!node.matching)
                fail(path + ".pattern", "is one too many: together the patterns are too large");
            else if (!node.matching->problem().empty())
                fail(path + ".pattern",
                     "must be a valid regular expression, but isn't: " + std::string(node.matching->problem()));
        }
    }

    std::vector<std::string> texts(const json::object& schema, std::string_view name, const std::string& path)
    {
        std::vector<std::string> out;
        const auto* v = schema.if_contains(name);
        if (v == nullptr || v->is_null()) return out;
        const auto* items = v->if_array();
        if (items == nullptr || !std::ranges::all_of(*items, [](const auto& item) { return item.is_string(); })) {
            fail(path + '.' + std::string(name), "is no list of texts");
            return out;
        }
        for (const auto& item : *items) out.emplace_back(item.get_string());
        return out;
    }

    void read_lists(schema_node& node, const json::object& schema, const std::string& path)
    {
        node.required = texts(schema, "required", path);
        node.list_keys = texts(schema, "x-kubernetes-list-map-keys", path);
        const auto list = text(schema, "x-kubernetes-list-type", path);
        node.list = list == "set" ? list_kind::set : list == "map" ? list_kind::map : list_kind::atomic;
        const auto* values = schema.if_contains("enum");
        if (values == nullptr || values->is_null()) return;
        if (!values->is_array())
            fail(path + ".enum", "is no list");
        else if (!values->get_array().empty())
            node.allowed = allowed_in(values->get_array());
    }

    void read_rules(const json::object& schema, const std::string& path, const std::string& field)
    {
        const auto* rules = schema.if_contains("x-kubernetes-validations");
        if (rules == nullptr || !rules->is_array()) return;
        for (const auto& rule : rules->get_array()) {
            const auto* object = rule.if_object();
            const auto* text = object ? object->if_contains("rule") : nullptr;
            if (!spend(field.size())) fail(path, "has too many rules");
            if (problem_) return;
            if (text && text->is_string()) to_.rules.push_back({field, std::string(text->get_string())});
        }
    }

    void read_parts(schema_node& node, const json::object& schema, const std::string& path, const std::string& field,
                    std::size_t depth)
    {
        for (const std::string_view refused :
             {"$ref", "patternProperties", "dependencies", "definitions", "additionalItems"})
            if (schema.contains(refused))
                fail(path, "has " + std::string(refused) + ", which structural schemas cannot");
        const auto in = [&](std::string_view name) {
            return path.empty() ? std::string(name) : path + '.' + std::string(name);
        };
        if (const auto* properties = schema.if_contains("properties"); properties && !properties->is_null()) {
            if (!properties->is_object())
                fail(in("properties"), "is no object");
            else
                for (const auto& [name, sub] : properties->get_object()) {
                    if (problem_) return;
                    const std::string_view key = name;
                    node.properties.emplace_back(
                        key, add(sub, in("properties[" + std::string(key) + ']'),
                                 field.empty() ? std::string(key) : field + '.' + std::string(key), depth + 1));
                }
            std::ranges::sort(node.properties);
        }
        if (const auto* items = schema.if_contains("items"); items && !items->is_null())
            node.items = add(*items, in("items"), field + "[*]", depth + 1);
        if (const auto* others = schema.if_contains("additionalProperties"); others && !others->is_null()) {
            node.has_additional = true;
            node.forbids_additional = others->is_bool() && !others->get_bool();
            if (!others->is_bool())
                node.additional = add(*others, in("additionalProperties"), field + "[*]", depth + 1);
        }
        const auto all = [&](std::string_view name, std::vector<const schema_node*>& to) {
            const auto* parts = schema.if_contains(name);
            if (parts == nullptr || parts->is_null()) return;
            if (!parts->is_array()) {
                fail(in(name), "is no list");
                return;
            }
            for (std::size_t i = 0; i < parts->get_array().size() && !problem_; ++i)
                to.push_back(add(parts->get_array()[i], in(name) + '[' + std::to_string(i) + ']', field, depth + 1));
        };
        all("allOf", node.all_of);
        all("anyOf", node.any_of);
        all("oneOf", node.one_of);
        if (const auto* excluded = schema.if_contains("not"); excluded && !excluded->is_null())
            node.excluded = add(*excluded, in("not"), field, depth + 1);
    }

    [[nodiscard]] bool spend(std::size_t bytes) noexcept
    {
        const bool enough = bytes <= paths_;
        paths_ = enough ? paths_ - bytes : 0;
        return enough;
    }

    compiled_schema& to_;
    pattern_set patterns_;
    std::size_t paths_ = max_paths;
    std::optional<std::string> problem_;
};

} // namespace

bool allowed_values::contains(const json::value& v, step_budget& budget) const
{
    if (const auto* text = v.if_string())
        return !texts.empty() && budget.spend(text->size()) && texts.contains(std::string_view(*text));
    if (v.is_bool()) return booleans.contains(v.get_bool());
    if (v.is_int64()) return integers.contains(v.get_int64()) || numbers.contains(static_cast<double>(v.get_int64()));
    if (v.is_number()) {
        // As Go converts them: 1.5 is the integer 1.
        const double number = v.to_number<double>();
        return numbers.contains(number) ||
               (std::abs(number) < 9.2e18 && integers.contains(static_cast<std::int64_t>(number)));
    }
    if (v.is_null() || composites.empty()) return false;
    const auto text = go_json(v);
    return budget.spend(text.size()) && composites.contains(text);
}

bool schema_node::allows_type(std::string_view name) const noexcept
{
    return type == name || (type == "integer,string" && (name == "integer" || name == "string"));
}

std::size_t schema_node::find(std::string_view name) const noexcept
{
    const auto at =
        std::ranges::lower_bound(properties, name, {}, [](const auto& p) { return std::string_view(p.first); });
    return at != properties.end() && at->first == name ? static_cast<std::size_t>(at - properties.begin()) : npos;
}

const schema_node* schema_node::member(std::string_view name) const noexcept
{
    const auto at = find(name);
    return at == npos ? additional : properties[at].second;
}

std::string_view schema_type_of(const json::value& v) noexcept
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
    case json::kind::int64:
        return "integer";
    default:
        return "number";
    }
}

result<std::shared_ptr<compiled_schema>> compile_schema(const json::value& schema, resource_type resource)
{
    auto out = std::make_shared<compiled_schema>();
    out->resource = std::move(resource);
    compiler c(*out);
    out->root = c.add(schema, {}, {}, 0);
    if (c.problem()) return failure(cond::invalid, *c.problem());
    out->text = schema;
    return out;
}

} // namespace kubecoro::detail
