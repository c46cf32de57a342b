#include "protobuf/message_writer.hpp"

#include "text/go_text.hpp"
#include "values/go_values.hpp"
#include "values/refused.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

namespace kubecoro::detail {
namespace {

namespace json = boost::json;
using flag = field_flag;

// Deeper than any object that can be decoded again.
constexpr std::size_t deepest_message = 512;

const json::value& nothing()
{
    static const json::value null;
    return null;
}

std::string_view text_of(const json::value& v) noexcept
{
    const auto* text = v.if_string();
    return text == nullptr ? std::string_view{} : std::string_view(*text);
}

} // namespace

bool message_writer::fail(std::string_view wanted, const json::value& found)
{
    return problem_.is("expected " + std::string(wanted) + ", got " + std::string(kind_name(found)));
}

bool message_writer::write(std::uint16_t message, const json::object& from)
{
    out_.clear();
    problem_.clear();
    depth_ = 0;
    return members(message, from);
}

bool message_writer::members(std::uint16_t message, const json::object& from)
{
    const auto fields = builtin_schemas::fields(message);
    for (auto f = fields.rbegin(); f != fields.rend(); ++f)
        if (!field(*f, from)) return false;
    return true;
}

bool message_writer::field(const schema_field& f, const json::object& from)
{
    if (f.has(flag::inlined)) {
        const std::size_t mark = out_.size();
        if (!members(f.message, from)) return false;
        out_.close(f.number, mark);
        return true;
    }
    const std::string_view name = builtin_schemas::text(f.name);
    const auto* given = from.if_contains(name);
    if (given != nullptr && given->is_null()) given = nullptr;
    if (!f.has(flag::map | flag::repeated)) return single(f, given) || problem_.in(name);
    if (given == nullptr) return true;
    return (f.has(flag::map) ? map(f, *given) : list(f, *given)) || problem_.in(name);
}

bool message_writer::single(const schema_field& f, const json::value* given)
{
    if (given == nullptr && may_be_absent(f)) return true;
    return value(f, f.number, given == nullptr ? nothing() : *given);
}

bool message_writer::list(const schema_field& f, const json::value& items)
{
    const auto* array = items.if_array();
    if (array == nullptr) return fail("an array", items);
    for (std::size_t i = array->size(); i-- > 0;)
        if (!value(f, f.number, (*array)[i])) return problem_.at(i);
    return true;
}

bool message_writer::map(const schema_field& f, const json::value& entries)
{
    const auto* object = entries.if_object();
    if (object == nullptr) return fail("an object", entries);
    std::vector<const json::key_value_pair*> sorted;
    sorted.reserve(object->size());
    for (const auto& entry : *object) sorted.push_back(&entry);
    std::ranges::sort(sorted, std::ranges::greater{}, [](const auto* entry) { return std::string_view(entry->key()); });
    for (const auto* entry : sorted) {
        const std::size_t mark = out_.size();
        const bool has_value = f.type != field_type::bytes || !entry->value().is_null();
        if (has_value && !value(f, 2, entry->value())) return problem_.in(entry->key());
        out_.text_field(1, entry->key());
        out_.close(f.number, mark);
    }
    return true;
}

bool message_writer::value(const schema_field& f, std::uint32_t number, const json::value& v)
{
    const std::size_t mark = out_.size();
    switch (f.type) {
    case field_type::string:
        if (!v.is_null() && !v.is_string()) return fail("a string", v);
        out_.text_field(number, text_of(v));
        return true;
    case field_type::bytes: {
        if (const auto* items = v.if_array()) return octets(number, *items);
        if (!v.is_null() && !v.is_string()) return fail("base64", v);
        std::string decoded;
        if (!append_decoded_base64(decoded, text_of(v))) return fail("base64", v);
        out_.text_field(number, decoded);
        return true;
    }
    case field_type::int32:
    case field_type::int64:
        return integer(f, number, v);
    case field_type::boolean:
        if (!v.is_null() && !v.is_bool()) return fail("a boolean", v);
        out_.number_field(number, v.is_bool() && v.get_bool() ? 1 : 0);
        return true;
    case field_type::real:
        if (!v.is_null() && !v.is_number()) return fail("a number", v);
        out_.fixed_field(number, std::bit_cast<std::uint64_t>(v.is_null() ? 0.0 : v.to_number<double>()));
        return true;
    case field_type::message:
        break;
    }
    if (!message_content(f.message, v)) return false;
    out_.close(number, mark);
    return true;
}

bool message_writer::octets(std::uint32_t number, const json::array& items)
{
    std::string bytes;
    for (const auto& item : items) {
        const auto* octet = item.if_int64();
        const bool fits = octet != nullptr && *octet >= 0 && *octet <= 255;
        if (!fits && !item.is_null()) return fail("a whole number of 8 bits", item) || problem_.at(bytes.size());
        bytes += fits ? static_cast<char>(*octet) : '\0';
    }
    out_.text_field(number, bytes);
    return true;
}

bool message_writer::integer(const schema_field& f, std::uint32_t number, const json::value& v)
{
    const bool narrow = f.type == field_type::int32;
    const std::int64_t whole = v.is_int64() ? v.get_int64() : 0;
    const bool fits = !narrow || (whole >= std::numeric_limits<std::int32_t>::min() &&
                                  whole <= std::numeric_limits<std::int32_t>::max());
    if ((!v.is_null() && !v.is_int64()) || !fits)
        return fail(narrow ? "a whole number of 32 bits" : "a whole number of 64 bits", v);
    out_.number_field(number, static_cast<std::uint64_t>(whole));
    return true;
}

bool message_writer::message_content(std::uint16_t message, const json::value& v)
{
    const json_form form = builtin_schemas::message(message).form;
    switch (form) {
    case json_form::object:
        return object_content(message, v);
    case json_form::array:
        return v.is_null() || list(builtin_schemas::fields(message).front(), v);
    case json_form::quantity:
        return quantity(v);
    case json_form::int_or_string:
        return int_or_string(v);
    case json_form::time:
    case json_form::micro_time:
        return time(v, form == json_form::micro_time);
    case json_form::duration:
        return duration(v);
    case json_form::raw_json:
        if (!v.is_null()) out_.text_field(1, json::serialize(v));
        return true;
    case json_form::schema_or_array:
    case json_form::schema_or_bool:
    case json_form::schema_or_strings:
        break;
    }
    return schema_or(message, v);
}

bool message_writer::object_content(std::uint16_t message, const json::value& v)
{
    static const json::object empty;
    const auto* object = v.is_null() ? &empty : v.if_object();
    if (object == nullptr) return fail("an object", v);
    if (depth_ == deepest_message) return problem_.is("nested too deeply");
    ++depth_;
    const bool good = members(message, *object);
    --depth_;
    return good;
}

bool message_writer::quantity(const json::value& v)
{
    std::string text = v.is_null() ? "0" : std::string(text_of(v));
    if (v.is_number()) text = v.is_double() ? real_text(v.get_double()).value_or("0") : json::serialize(v);
    const auto written = go_quantity(text);
    if (!written) return fail("a quantity", v);
    out_.text_field(1, *written);
    return true;
}

bool message_writer::int_or_string(const json::value& v)
{
    const std::int64_t whole = v.is_int64() ? v.get_int64() : 0;
    const bool fits =
        whole >= std::numeric_limits<std::int32_t>::min() && whole <= std::numeric_limits<std::int32_t>::max();
    if (!fits || !(v.is_null() || v.is_int64() || v.is_string()))
        return fail("a string or a whole number of 32 bits", v);
    out_.text_field(3, text_of(v));
    out_.number_field(2, static_cast<std::uint64_t>(whole));
    out_.number_field(1, v.is_string() ? 1 : 0);
    return true;
}

bool message_writer::time(const json::value& v, bool micro)
{
    if (v.is_null()) return true;
    const auto read = micro ? read_micro_time(text_of(v)) : read_time(text_of(v));
    if (!read) return fail(micro ? "a time in RFC 3339 with six digits of fraction" : "a time in RFC 3339", v);
    const std::int32_t nanos = micro ? read->nanos / 1000 * 1000 : 0;
    if (read->seconds == no_time_seconds && nanos == 0) return true;
    out_.number_field(2, static_cast<std::uint64_t>(nanos));
    out_.number_field(1, static_cast<std::uint64_t>(read->seconds));
    return true;
}

bool message_writer::duration(const json::value& v)
{
    const auto nanos = v.is_null() ? 0 : read_duration(text_of(v));
    if (!nanos) return fail("a duration", v);
    out_.number_field(1, static_cast<std::uint64_t>(*nanos));
    return true;
}

bool message_writer::schema_or(std::uint16_t message, const json::value& v)
{
    const auto fields = builtin_schemas::fields(message);
    // schema_or_bool: {1 allows, 2 schema}; the others: {1 schema, 2 list}.
    const bool has_bool = builtin_schemas::message(message).form == json_form::schema_or_bool;
    if (v.is_object() && !value(has_bool ? fields[1] : fields[0], has_bool ? 2 : 1, v)) return false;
    if (has_bool) {
        if (!v.is_null() && !v.is_bool() && !v.is_object()) return fail("a schema or a boolean", v);
        out_.number_field(1, v.is_object() || (v.is_bool() && v.get_bool()) ? 1 : 0);
        return true;
    }
    if (v.is_array()) return list(fields[1], v);
    return v.is_null() || v.is_object() || fail("a schema or an array", v);
}

} // namespace kubecoro::detail
