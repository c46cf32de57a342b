#include <kubecoro/api/detail/merge_type.hpp>

#include <kubecoro/api/detail/json_access.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>

namespace kubecoro::detail::builtin_schemas {

const merge_rule* find_merge_rule(const schema_field& field) noexcept
{
    const auto index = static_cast<std::uint32_t>(&field - builtin_schema_tables.fields.data());
    const auto& rules = builtin_merge_tables.rules;
    const auto it = std::ranges::lower_bound(rules, index, {}, &merge_rule::field);
    return it != rules.end() && it->field == index ? &*it : nullptr;
}

bool is_atomic(std::uint16_t message) noexcept
{
    return std::ranges::binary_search(builtin_merge_tables.atomic_messages, message);
}

} // namespace kubecoro::detail::builtin_schemas

namespace kubecoro::detail {

namespace json = boost::json;
namespace schemas = builtin_schemas;

namespace {

const schema_field* metadata_field()
{
    static const auto* const pod = schemas::find("v1", "Pod");
    static const auto* const found = schemas::find_field(pod->message, "metadata");
    return found;
}

bool is_metadata_name(std::string_view name) { return name == "metadata" || name == "kind" || name == "apiVersion"; }

} // namespace

std::optional<merge_type> merge_type::of_kind(std::string_view api_version, std::string_view kind)
{
    const auto* found = schemas::find(api_version, kind);
    if (!found) return {};
    auto t = of_message(found->message);
    t.is_object_ = true;
    return t;
}

merge_type merge_type::of_custom(const json::value& schema)
{
    auto t = of_schema(schema, false);
    t.is_object_ = true;
    return t;
}

merge_type merge_type::of_any_object()
{
    merge_type t(source::deduced);
    t.is_object_ = true;
    return t;
}

merge_type merge_type::of_message(std::uint16_t message)
{
    merge_type t(source::message);
    t.message_ = message;
    return t;
}

merge_type merge_type::of_field(const schema_field& field)
{
    merge_type t(source::field);
    t.field_ = &field;
    return t;
}

merge_type merge_type::of_elements(const schema_field& field)
{
    if (field.type == field_type::message) return of_message(field.message);
    merge_type t(source::element);
    t.element_ = field;
    t.element_.flags = 0; // one of its values
    return t;
}

merge_type merge_type::of_schema(const json::value& schema, bool keeps_unknown)
{
    merge_type t(source::schema);
    t.schema_ = &schema;
    t.keeps_unknown_ = keeps_unknown || is_true_in(&schema, "x-kubernetes-preserve-unknown-fields");
    t.is_object_ = is_true_in(&schema, "x-kubernetes-embedded-resource");
    return t;
}

merge_type::form merge_type::form_of(const json::value& v) const
{
    switch (source_) {
    case source::untyped:
    case source::element:
        return form::leaf;
    case source::deduced:
        return v.is_object() ? form::members : form::leaf;
    case source::message:
        if (schemas::is_atomic(message_) || schemas::message(message_).form != json_form::object) return form::leaf;
        return v.is_object() || v.is_null() ? form::members : form::leaf;
    case source::field:
        return form_of_field(v);
    case source::schema:
        return form_of_schema(v);
    }
    return form::leaf;
}

merge_type::form merge_type::form_of_field(const json::value& v) const
{
    const auto* rule = schemas::find_merge_rule(*field_);
    if (rule && rule->kind == merge_kind::atomic) return form::leaf;
    if (field_->has(field_flag::repeated)) {
        if (!rule || (!v.is_array() && !v.is_null())) return form::leaf;
        return rule->kind == merge_kind::set ? form::set : form::by_key;
    }
    if (field_->has(field_flag::map)) return v.is_object() || v.is_null() ? form::members : form::leaf;
    return of_elements(*field_).form_of(v);
}

merge_type::form merge_type::form_of_schema(const json::value& v) const
{
    if (is_true_in(schema_, "x-kubernetes-int-or-string")) return form::leaf;
    const auto type = text_in(schema_, "type");
    if (type == "array") {
        if (!v.is_array() && !v.is_null()) return form::leaf;
        const auto list = text_in(schema_, "x-kubernetes-list-type");
        return list == "map" ? form::by_key : list == "set" ? form::set : form::leaf;
    }
    if (type != "object" && !(type.empty() && keeps_unknown_)) return form::leaf;
    if (text_in(schema_, "x-kubernetes-map-type") == "atomic") return form::leaf;
    return v.is_object() || v.is_null() ? form::members : form::leaf;
}

bool merge_type::declares(std::string_view name) const
{
    if (is_object_ && is_metadata_name(name)) return true;
    if (source_ == source::message) return schemas::find_field(message_, name) != nullptr;
    if (source_ == source::field)
        return !field_->has(field_flag::map) && field_->type == field_type::message &&
               schemas::find_field(field_->message, name) != nullptr;
    return source_ == source::schema && member_in(member_in(schema_, "properties"), name) != nullptr;
}

bool merge_type::allows(std::string_view name) const
{
    if (declares(name) || source_ == source::deduced || source_ == source::untyped) return true;
    if (source_ == source::field) return field_->has(field_flag::map);
    if (source_ != source::schema) return false;
    const auto* others = member_in(schema_, "additionalProperties");
    return keeps_unknown_ || (others && (others->is_object() || is_true_in(schema_, "additionalProperties"))) ||
           !member_in(schema_, "properties");
}

merge_type merge_type::member(std::string_view name) const
{
    if (is_object_ && name == "metadata" && source_ != source::message) return of_field(*metadata_field());
    if (source_ == source::deduced) return merge_type(source::deduced);
    if (source_ == source::field && field_->has(field_flag::map)) return of_elements(*field_);
    if (source_ == source::field || source_ == source::message) {
        const auto message = source_ == source::message ? message_ : field_->message;
        const auto* found = schemas::find_field(message, name);
        return found ? of_field(*found) : merge_type(source::untyped);
    }
    if (source_ != source::schema) return merge_type(source::untyped);
    if (const auto* property = member_in(member_in(schema_, "properties"), name))
        return of_schema(*property, keeps_unknown_);
    if (const auto* others = member_in(schema_, "additionalProperties"); others && others->is_object())
        return of_schema(*others, keeps_unknown_);
    return merge_type(keeps_unknown_ ? source::deduced : source::untyped);
}

merge_type merge_type::item() const
{
    if (source_ == source::field) return of_elements(*field_);
    const auto* items = source_ == source::schema ? member_in(schema_, "items") : nullptr;
    return items ? of_schema(*items, keeps_unknown_) : merge_type(source::untyped);
}

namespace {

void sort_by_name(std::vector<list_key>& keys)
{
    std::sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
}

/// "containerPort=0,protocol=\"TCP\"".
std::vector<list_key> read_keys(std::string_view rule)
{
    std::vector<list_key> keys;
    while (!rule.empty()) {
        const auto one = rule.substr(0, rule.find(','));
        rule.remove_prefix(std::min(rule.size(), one.size() + 1));
        const auto equals = one.find('=');
        list_key key{std::string(one.substr(0, equals))};
        if (equals != std::string_view::npos) key.otherwise = json::parse(std::string(one.substr(equals + 1)));
        keys.push_back(std::move(key));
    }
    sort_by_name(keys);
    return keys;
}

} // namespace

std::vector<list_key> merge_type::keys() const
{
    if (source_ == source::field) {
        const auto* rule = schemas::find_merge_rule(*field_);
        return rule ? read_keys(rule->keys) : std::vector<list_key>{};
    }
    std::vector<list_key> keys;
    const auto* names = member_in(schema_, "x-kubernetes-list-map-keys");
    if (!names || !names->is_array()) return keys;
    const auto* properties = member_in(member_in(schema_, "items"), "properties");
    for (const auto& name : names->get_array()) {
        if (!name.is_string()) continue;
        list_key key{std::string(name.get_string())};
        const auto* given = member_in(member_in(properties, key.name), "default");
        if (given) key.otherwise = *given;
        keys.push_back(std::move(key));
    }
    sort_by_name(keys);
    return keys;
}

namespace {

using wanted = merge_type::wanted;

wanted wanted_by_field(const schema_field& field)
{
    if (field.has(field_flag::repeated)) return wanted::array;
    if (field.has(field_flag::map)) return wanted::object;
    switch (field.type) {
    case field_type::string:
    case field_type::bytes:
        return wanted::text;
    case field_type::boolean:
        return wanted::boolean;
    case field_type::message:
        return schemas::message(field.message).form == json_form::object ? wanted::object : wanted::anything;
    default:
        return wanted::number;
    }
}

wanted wanted_by_schema(const json::value* schema)
{
    if (is_true_in(schema, "x-kubernetes-int-or-string")) return wanted::anything;
    const auto type = text_in(schema, "type");
    if (type == "object") return wanted::object;
    if (type == "array") return wanted::array;
    if (type == "string") return wanted::text;
    if (type == "boolean") return wanted::boolean;
    return type == "integer" || type == "number" ? wanted::number : wanted::anything;
}

} // namespace

merge_type::wanted merge_type::wants() const
{
    if (source_ == source::element) return wanted_by_field(element_);
    if (source_ == source::field) return wanted_by_field(*field_);
    if (source_ == source::schema) return wanted_by_schema(schema_);
    const bool is_struct = source_ == source::message && schemas::message(message_).form == json_form::object;
    return is_struct ? wanted::object : wanted::anything;
}

} // namespace kubecoro::detail
