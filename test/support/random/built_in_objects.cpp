#include <kubecoro/test/random_object.hpp>

#include <boost/json/array.hpp>

#include <algorithm>
#include <utility>

namespace kubecoro::test {

namespace json = boost::json;
namespace schemas = detail::builtin_schemas;
using detail::field_flag;
using detail::field_type;
using detail::json_form;

namespace {

constexpr std::size_t most_fields = 100;

} // namespace

random_object built_in_objects::make(const detail::schema_kind& kind, content how)
{
    how_ = how;
    spoiled_ = false;
    left_ = 5 + values_.below(most_fields);
    random_object out;
    out.json["apiVersion"] = schemas::text(kind.api_version);
    out.json["kind"] = schemas::text(kind.kind);
    fill(out.json, kind.message);
    out.spoiled = spoiled_;
    return out;
}

bool built_in_objects::wants()
{
    if (how_ == content::full) return true;
    if (left_ == 0 || !values_.one_in(within_.size() < 3 ? 2 : 4)) return false;
    --left_;
    return true;
}

void built_in_objects::fill(json::object& out, std::uint16_t message)
{
    const auto fields = schemas::fields(message);
    // Begins anywhere, so that the last fields are as frequent as the first ones.
    const auto first = fields.empty() ? 0 : values_.below(fields.size());
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const auto& field = fields[(first + i) % fields.size()];
        if (field.has(field_flag::inlined))
            fill(out, field.message);
        else if (wants())
            add(out, field);
    }
    if (how_ != content::odd || !values_.one_in(12)) return;
    // No schema has a field with this letter.
    out["\xc3\xa9" + values_.name()] = values_.one_in(5) ? json::value() : values_.any(2);
    spoiled_ = true;
}

void built_in_objects::add(json::object& out, const detail::schema_field& field)
{
    auto& value = out[schemas::text(field.name)];
    if (how_ == content::odd && values_.one_in(20)) return; // null
    const bool is_any = field.type == field_type::message &&
                        schemas::message(field.message).form >= json_form::raw_json && !field.has(field_flag::repeated);
    if (how_ == content::odd && values_.one_in(20) && !is_any) {
        value = wrong(field);
        spoiled_ = true;
        return;
    }
    value = value_of(field);
}

json::value built_in_objects::value_of(const detail::schema_field& field)
{
    const auto count = how_ == content::full ? 1 : values_.below(4);
    if (field.has(field_flag::repeated)) {
        json::array out;
        for (std::size_t i = 0; i < count; ++i) out.push_back(single(field));
        return out;
    }
    if (!field.has(field_flag::map)) return single(field);
    json::object out;
    for (std::size_t i = 0; i < count; ++i) {
        const auto name = values_.name();
        // A second value would hide that the first one is spoiled.
        if (!out.contains(name)) out[name] = single(field);
    }
    return out;
}

json::value built_in_objects::single(const detail::schema_field& field)
{
    switch (field.type) {
    case field_type::string:
        return json::value(values_.text());
    case field_type::bytes:
        return json::value(values_.base64());
    case field_type::boolean:
        return values_.one_in(2);
    case field_type::int32:
        return values_.int32();
    case field_type::int64:
        return values_.int64();
    case field_type::real:
        return values_.real();
    case field_type::message:
        break;
    }
    return part(field.message);
}

json::value built_in_objects::part(std::uint16_t message)
{
    switch (schemas::message(message).form) {
    case json_form::object: {
        json::object out;
        // A type that contains itself ends there, in a full object.
        if (how_ == content::full && std::ranges::count(within_, message) != 0) return out;
        within_.push_back(message);
        fill(out, message);
        within_.pop_back();
        return out;
    }
    case json_form::array: {
        json::array out;
        for (std::size_t i = values_.below(4); i > 0; --i) out.push_back(single(schemas::fields(message)[0]));
        return out;
    }
    case json_form::quantity:
        return values_.quantity();
    case json_form::int_or_string:
        return values_.int_or_string();
    case json_form::time:
        return json::value(values_.time());
    case json_form::micro_time:
        return json::value(values_.micro_time());
    case json_form::duration:
        return json::value(values_.duration());
    case json_form::raw_json:
    case json_form::schema_or_array:
    case json_form::schema_or_bool:
    case json_form::schema_or_strings:
        break;
    }
    return values_.any(3);
}

json::value built_in_objects::wrong(const detail::schema_field& field)
{
    if (field.has(field_flag::repeated)) return json::object{{"a", 1}};
    if (field.has(field_flag::map)) return json::array{1};
    if (field.type == field_type::string || field.type == field_type::bytes) return 7;
    if (field.type != field_type::message) return json::value("?");
    return schemas::message(field.message).form == json_form::array ? json::value("?") : json::array{true};
}

} // namespace kubecoro::test
