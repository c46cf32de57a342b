#include <kubecoro/api/detail/value_types.hpp>

#include "tape/json_copy.hpp"
#include "text/go_text.hpp"
#include "text/json_text.hpp"
#include "values/go_values.hpp"

#include <kubecoro/api/bytes.hpp>
#include <kubecoro/api/detail/written_json.hpp>

#include <boost/json/value.hpp>

namespace kubecoro {

result<bytes> bytes::from_base64(std::string_view text)
{
    bytes out;
    if (!detail::append_decoded_base64(out.data, text)) return failure(cond::invalid, "not base64");
    return out;
}

std::string bytes::base64() const
{
    std::string out;
    detail::append_base64(out, data);
    return out;
}

} // namespace kubecoro

namespace kubecoro::detail {

namespace {

fit misfit(struct_reading& course, std::string_view expected, value_view found)
{
    course.misfit(expected, found);
    return fit::none;
}

/// Reads a value whose JSON is text. It keeps its text, so that it is written as it was.
template<class T>
fit read_text(value_view from, T& into, struct_reading& course, std::string_view expected)
{
    auto found = view_reader<T>::find(from);
    if (!found) return misfit(course, expected, from);
    into = std::move(*found);
    // A text that was read is kept.
    return from.is_string() ? fit::exact : fit::another_form;
}

} // namespace

std::optional<quantity> view_reader<quantity>::find(value_view v)
{
    const auto kind = v.kind();
    const bool number = kind == value_kind::integer || kind == value_kind::number;
    if (!number && kind != value_kind::string) return {};
    auto parsed = number ? quantity::parse(v.to_text()) : quantity::parse(v.as_string());
    if (!parsed) return {};
    return std::move(*parsed);
}

void write_text(std::string_view text, std::string& out) { append_quoted(out, text); }

fit value_operations<std::string>::read(value_view from, std::string& into, struct_reading& course)
{
    if (!from.is_string()) return misfit(course, "a string", from);
    into = from.as_string();
    return fit::exact;
}
void value_operations<std::string>::write(const std::string& value, std::string& out) { append_quoted(out, value); }

fit value_operations<bool>::read(value_view from, bool& into, struct_reading& course)
{
    if (from.kind() != value_kind::boolean) return misfit(course, "true or false", from);
    into = from.as_bool();
    return fit::exact;
}
void value_operations<bool>::write(bool value, std::string& out) { out += value ? "true" : "false"; }

fit value_operations<std::int32_t>::read(value_view from, std::int32_t& into, struct_reading& course)
{
    if (from.kind() != value_kind::integer || !std::in_range<std::int32_t>(from.as_int64()))
        return misfit(course, "a whole number of 32 bits", from);
    into = static_cast<std::int32_t>(from.as_int64());
    return fit::exact;
}
void value_operations<std::int32_t>::write(std::int32_t value, std::string& out) { out += integer_text(value).view(); }

fit value_operations<std::int64_t>::read(value_view from, std::int64_t& into, struct_reading& course)
{
    if (from.kind() != value_kind::integer) return misfit(course, "a whole number of 64 bits", from);
    into = from.as_int64();
    return fit::exact;
}
void value_operations<std::int64_t>::write(std::int64_t value, std::string& out) { out += integer_text(value).view(); }

fit value_operations<double>::read(value_view from, double& into, struct_reading& course)
{
    const auto kind = from.kind();
    if (kind != value_kind::integer && kind != value_kind::number) return misfit(course, "a number", from);
    into = from.as_double();
    // Beyond the range or the precision of a double the text is kept.
    const auto text = real_text(into);
    return text && equal_numbers(*text, from.to_text()) ? fit::exact : fit::another_form;
}
void value_operations<double>::write(double value, std::string& out) { out += real_text(value).value_or("null"); }

fit value_operations<bytes>::read(value_view from, bytes& into, struct_reading& course)
{
    if (!from.is_string()) return misfit(course, "a string in base64", from);
    auto decoded = bytes::from_base64(from.as_string());
    if (!decoded) return misfit(course, "a string in base64", from);
    into = std::move(*decoded);
    return into.base64() == from.as_string() ? fit::exact : fit::another_form;
}
void value_operations<bytes>::write(const bytes& value, std::string& out) { append_quoted(out, value.base64()); }

fit value_operations<quantity>::read(value_view from, quantity& into, struct_reading& course)
{
    return read_text(from, into, course, "a quantity");
}
void value_operations<quantity>::write(const quantity& value, std::string& out) { append_quoted(out, value.text()); }

fit value_operations<timestamp>::read(value_view from, timestamp& into, struct_reading& course)
{
    return read_text(from, into, course, "a time");
}
void value_operations<timestamp>::write(const timestamp& value, std::string& out) { append_quoted(out, value.text()); }

fit value_operations<micro_timestamp>::read(value_view from, micro_timestamp& into, struct_reading& course)
{
    return read_text(from, into, course, "a time with microseconds");
}
void value_operations<micro_timestamp>::write(const micro_timestamp& value, std::string& out)
{
    append_quoted(out, value.text());
}

fit value_operations<go_duration>::read(value_view from, go_duration& into, struct_reading& course)
{
    return read_text(from, into, course, "a duration");
}
void value_operations<go_duration>::write(const go_duration& value, std::string& out)
{
    append_quoted(out, value.text());
}

fit value_operations<int_or_string>::read(value_view from, int_or_string& into, struct_reading& course)
{
    const int_or_string_view found(from);
    if (!found) return misfit(course, "a whole number of 32 bits or a string", from);
    into = found.value();
    return fit::exact;
}
void value_operations<int_or_string>::write(const int_or_string& value, std::string& out)
{
    if (const auto* number = value.if_number())
        out += integer_text(*number).view();
    else
        append_quoted(out, *value.if_text());
}

fit value_operations<boost::json::value>::read(value_view from, boost::json::value& into, struct_reading&)
{
    auto copied = copy_to_json(from);
    into = std::move(copied.value);
    return copied.exact ? fit::exact : fit::another_form;
}
void value_operations<boost::json::value>::write(const boost::json::value& value, std::string& out)
{
    out += written_json(value);
}
bool value_operations<boost::json::value>::is_set(const boost::json::value& value) noexcept { return !value.is_null(); }

} // namespace kubecoro::detail
