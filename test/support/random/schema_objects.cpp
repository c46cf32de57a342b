#include <kubecoro/test/schema_objects.hpp>

#include <boost/json/array.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace kubecoro::test {

namespace json = boost::json;

namespace {

constexpr std::size_t most_fields = 100;
/// For parts whose rules are about several members.
constexpr int most_tries = 50;

bool flag(const json::object& schema, std::string_view name)
{
    const auto* found = schema.if_contains(name);
    return found && found->is_bool() && found->get_bool();
}

std::string_view text(const json::object& schema, std::string_view name)
{
    const auto* found = schema.if_contains(name);
    return found && found->is_string() ? std::string_view(found->get_string()) : std::string_view{};
}

std::size_t number(const json::object& schema, std::string_view name, std::size_t otherwise)
{
    const auto* found = schema.if_contains(name);
    return found && found->is_number() ? found->to_number<std::size_t>() : otherwise;
}

const json::object* part(const json::object& schema, std::string_view name)
{
    const auto* found = schema.if_contains(name);
    return found ? found->if_object() : nullptr;
}

bool any_of(const json::object& schema, std::initializer_list<std::string_view> names)
{
    return std::ranges::any_of(names, [&](std::string_view name) { return schema.contains(name); });
}

/// Rules about the whole of an object or a list, which a single member does not decide.
bool has_rules_of_the_whole(const json::object& schema)
{
    return any_of(schema, {"allOf", "anyOf", "oneOf", "not", "minProperties", "maxProperties", "uniqueItems"});
}

bool is_scalar(const json::object& schema)
{
    const auto type = text(schema, "type");
    return type == "string" || type == "integer" || type == "number" || type == "boolean" ||
           flag(schema, "x-kubernetes-int-or-string");
}

bool is_restricted(const json::object& schema)
{
    return any_of(schema, {"enum", "pattern", "minLength", "maxLength", "minimum", "maximum", "multipleOf", "allOf",
                           "anyOf", "oneOf", "not"}) ||
           (text(schema, "type") != "integer" && schema.contains("format"));
}

/// Texts of which each pattern and format that definitions use accepts one at least.
constexpr std::string_view texts[] = {"",
                                      "a",
                                      "web",
                                      "A",
                                      "a-1",
                                      "ab",
                                      "x_y",
                                      "1",
                                      "80",
                                      "0",
                                      "example.com",
                                      "*.example.com",
                                      "example.com/widget",
                                      "example.com/Widget",
                                      "http://example.com/x",
                                      "https://example.com",
                                      "socks5://example.com:1080",
                                      "*",
                                      "/path",
                                      "10s",
                                      "1h",
                                      "1h30m",
                                      "90s",
                                      "12:30",
                                      "24:00",
                                      "100m",
                                      "64Mi",
                                      "1.5",
                                      "1e3",
                                      "10MB",
                                      "2024",
                                      "2024:2025",
                                      "monday",
                                      "monday:friday",
                                      "january",
                                      "1:12",
                                      "System",
                                      "Hostname",
                                      "dashboards/*.json",
                                      "abort",
                                      "two words",
                                      "10%",
                                      "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
                                      "10.0.0.1",
                                      "10.0.0.0/8",
                                      "fd00::1",
                                      "2026-01-31",
                                      "user@example.com",
                                      "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
                                      "aA0-",
                                      "<&>\"\\",
                                      "\xe4\xb8\x96"};

json::value sized(const json::object& schema, std::string_view bound)
{
    return json::value(std::string(number(schema, bound, 0), 'a'));
}

/// The items of a list with their keys only, by which a server tells them apart.
json::value identity_of(const json::value& item, const json::object& list)
{
    const auto* keys = list.if_contains("x-kubernetes-list-map-keys");
    if (!keys || !item.is_object()) return item;
    json::object out;
    for (const auto& key : keys->as_array())
        if (const auto* value = item.as_object().if_contains(key.as_string())) out[key.as_string()] = *value;
    return out;
}

/// Members of every object, which make() fills.
bool is_of_every_object(std::string_view name) { return name == "apiVersion" || name == "kind" || name == "metadata"; }

// NOLINTNEXTLINE(misc-no-recursion): as deep as the schema
void collect_missing(const json::object& schema, const std::string& path, const std::set<const json::object*>& made,
                     std::vector<std::string>& out)
{
    const bool resource = path.empty() || flag(schema, "x-kubernetes-embedded-resource");
    if (const auto* properties = part(schema, "properties"))
        for (const auto& [name, property] : *properties) {
            const auto* below = property.if_object();
            if (!below || (resource && is_of_every_object(name))) continue;
            const auto at = path + (path.empty() ? "" : ".") + std::string(name);
            if (made.contains(below))
                collect_missing(*below, at, made, out);
            else
                out.push_back(at);
        }
    if (const auto* items = part(schema, "items")) collect_missing(*items, path + "[]", made, out);
    if (const auto* values = part(schema, "additionalProperties")) collect_missing(*values, path + "{}", made, out);
}

} // namespace

std::optional<json::object> schema_objects::make(const resource_type& type, content how)
{
    how_ = how;
    left_ = 5 + values_.below(most_fields);
    depth_ = 0;
    auto made = any_try(schema_);
    if (!made) return {};
    auto out = std::move(made->as_object());
    out["apiVersion"] = type.api_version();
    out["kind"] = type.kind;
    out["metadata"] = {{"name", "a"}, {"labels", {{"app", values_.text()}}}};
    return out;
}

std::vector<std::string> schema_objects::missing() const
{
    std::vector<std::string> out;
    collect_missing(schema_, {}, made_, out);
    return out;
}

bool schema_objects::wants()
{
    if (how_ == content::full) return true;
    if (left_ == 0 || !values_.one_in(depth_ < 4 ? 2 : 4)) return false;
    --left_;
    return true;
}

auto schema_objects::value_of(const json::object& schema) -> found
{
    ++depth_;
    auto out = any_try(schema);
    --depth_;
    if (out) made_.insert(&schema);
    return out;
}

auto schema_objects::any_try(const json::object& schema) -> found
{
    if (is_scalar(schema) || schema.contains("enum")) return candidate(schema);
    const bool rules = has_rules_of_the_whole(schema);
    for (int i = 0; i < (rules ? most_tries : 1); ++i) {
        // A full object may have two members of which only one is allowed.
        const auto before = how_;
        if (i > 0) how_ = content::plain;
        auto made = text(schema, "type") == "array"    ? list_of(schema)
                    : text(schema, "type") == "object" ? object_of(schema)
                                                       : found(values_.any(3));
        how_ = before;
        if (made && (!rules || accepts(schema, *made))) return made;
        left_ = std::max<std::size_t>(left_, 3);
    }
    return {};
}

auto schema_objects::candidate(const json::object& schema) -> found
{
    if (!is_restricted(schema)) return free_value(schema);
    auto known = candidates_.find(&schema);
    if (known == candidates_.end()) known = candidates_.emplace(&schema, make_candidates(schema)).first;
    if (known->second.empty()) return {};
    return known->second[values_.below(known->second.size())];
}

json::value schema_objects::free_value(const json::object& schema)
{
    if (flag(schema, "x-kubernetes-int-or-string")) return values_.int_or_string();
    const auto type = text(schema, "type");
    if (type == "boolean") return values_.one_in(2);
    if (type == "number") return values_.real();
    if (type == "integer") return text(schema, "format") == "int32" ? values_.int32() : values_.int64();
    const auto format = text(schema, "format");
    if (format == "date-time") return json::value(values_.time());
    if (format == "byte") return json::value(values_.base64());
    if (format == "duration") return json::value(values_.duration());
    return json::value(values_.text());
}

std::vector<json::value> schema_objects::make_candidates(const json::object& schema)
{
    std::vector<json::value> all;
    if (const auto* choices = schema.if_contains("enum")) {
        all.assign(choices->as_array().begin(), choices->as_array().end());
        std::erase_if(all, [](const json::value& v) { return v.is_null(); });
    } else {
        for (int i = 0; i < 30; ++i) all.push_back(free_value(schema));
        // These formats accept more than the Go types can hold that such a field has.
        const auto format = text(schema, "format");
        if (format != "date-time" && format != "byte" && format != "duration")
            for (const auto t : texts) all.emplace_back(t);
        for (const auto* bound : {"minLength", "maxLength"})
            if (schema.contains(bound)) all.push_back(sized(schema, bound));
        for (std::int64_t n = -1; n < 70; ++n) all.emplace_back(n);
        for (const auto* bound : {"minimum", "maximum"})
            if (schema.contains(bound)) all.push_back(schema.at(bound));
    }
    std::erase_if(all, [&](const json::value& v) { return !accepts(schema, v); });
    return all;
}

auto schema_objects::list_of(const json::object& schema) -> found
{
    json::array out;
    const auto* items = part(schema, "items");
    if (!items) return {};
    const auto least = number(schema, "minItems", 0);
    const auto most = std::min<std::size_t>(number(schema, "maxItems", 1000), least + 3);
    const auto wanted =
        how_ == content::full ? std::max<std::size_t>(least, 1) : least + values_.below(most - least + 1);
    const bool distinct =
        !text(schema, "x-kubernetes-list-type").empty() && text(schema, "x-kubernetes-list-type") != "atomic";
    for (int tries = most_tries; out.size() < wanted && tries > 0; --tries) {
        auto item = value_of(*items);
        if (!item) break;
        const auto equal = [&](const json::value& other) {
            return identity_of(other, schema) == identity_of(*item, schema);
        };
        if (!distinct || std::none_of(out.begin(), out.end(), equal)) out.push_back(std::move(*item));
    }
    if (out.size() < least) return {};
    return out;
}

auto schema_objects::object_of(const json::object& schema) -> found
{
    json::object out;
    if (flag(schema, "x-kubernetes-embedded-resource"))
        out = {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", "a"}}}};
    if (!add_properties(out, schema) || !add_entries(out, schema)) return {};
    if (flag(schema, "x-kubernetes-preserve-unknown-fields") && !schema.contains("properties") && values_.one_in(2))
        if (auto any = values_.any(3); any.is_object()) out.insert(any.as_object().begin(), any.as_object().end());
    return out;
}

bool schema_objects::add_properties(json::object& out, const json::object& schema)
{
    const auto* properties = part(schema, "properties");
    if (!properties) return true;
    const auto* required = schema.if_contains("required");
    // Begins anywhere, so that the last fields are as frequent as the first ones.
    const auto first = properties->empty() ? 0 : values_.below(properties->size());
    for (std::size_t i = 0; i < properties->size(); ++i) {
        const auto& [name, property] = *(properties->begin() + (first + i) % properties->size());
        const bool needed =
            required && std::ranges::any_of(required->as_array(), [&](const json::value& v) { return v == name; });
        if (out.contains(name) || (!needed && !wants())) continue;
        const auto& below = property.as_object();
        // The API server finds no null among the values of an enumeration.
        const bool may_be_null = flag(below, "nullable") && !below.contains("enum");
        auto value = may_be_null && how_ != content::full && values_.one_in(5) ? found(json::value()) : value_of(below);
        if (value)
            out[name] = std::move(*value);
        else if (needed)
            return false;
    }
    return true;
}

bool schema_objects::add_entries(json::object& out, const json::object& schema)
{
    const auto* values = part(schema, "additionalProperties");
    if (!values) return true;
    const auto least = number(schema, "minProperties", 0);
    const auto wanted = std::max(least, how_ == content::full ? 1 : values_.below(4));
    for (int tries = most_tries; out.size() < wanted && tries > 0; --tries) {
        auto value = value_of(*values);
        if (!value) break;
        out[values_.name()] = std::move(*value);
    }
    return out.size() >= least;
}

bool schema_objects::accepts(const json::object& schema, const json::value& value)
{
    auto known = compiled_.find(&schema);
    if (known == compiled_.end()) {
        const json::object around{{"type", "object"}, {"properties", {{"value", schema}}}};
        known = compiled_.emplace(&schema, object_schema::of_schema(around).value()).first;
    }
    return known->second.structural_errors(json::object{{"value", value}}).empty();
}

} // namespace kubecoro::test
