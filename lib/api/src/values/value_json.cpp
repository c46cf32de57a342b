#include "text/go_text.hpp"
#include "values/refused.hpp"

#include <kubecoro/api/value_json.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/json/conversion.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kubecoro {
namespace {

namespace json = boost::json;

failure unexpected(std::string_view wanted, const json::value& found)
{
    return failure(cond::invalid, "expected " + std::string(wanted) + ", got " + std::string(detail::kind_name(found)));
}

std::string_view trimmed(std::string_view text) noexcept
{
    constexpr std::string_view blanks = " \t\n\v\f\r";
    const auto first = text.find_first_not_of(blanks);
    return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// The digits of a number; none if it is infinite.
std::optional<std::string> number_text(const json::value& v)
{
    return v.is_double() ? detail::real_text(v.get_double()) : json::serialize(v);
}

result<quantity> read(const json::value& v, const quantity*)
{
    if (v.is_null()) return quantity();
    if (v.is_string()) return quantity::parse(trimmed(v.get_string()));
    const auto digits = v.is_number() ? number_text(v) : std::nullopt;
    if (!digits) return unexpected("a quantity", v);
    return quantity::parse(*digits);
}

template<class Unit>
result<basic_timestamp<Unit>> read(const json::value& v, const basic_timestamp<Unit>*)
{
    if (v.is_null()) return basic_timestamp<Unit>();
    if (!v.is_string()) return unexpected("a time", v);
    return basic_timestamp<Unit>::parse(v.get_string());
}

result<go_duration> read(const json::value& v, const go_duration*)
{
    if (!v.is_string()) return unexpected("a duration", v);
    return go_duration::parse(v.get_string());
}

result<int_or_string> read(const json::value& v, const int_or_string*)
{
    using limits = std::numeric_limits<std::int32_t>;
    if (v.is_null()) return int_or_string();
    if (v.is_string()) return int_or_string(std::string_view(v.get_string()));
    if (!v.is_int64() || v.get_int64() < limits::min() || v.get_int64() > limits::max())
        return unexpected("a string or a whole number of 32 bits", v);
    return int_or_string(static_cast<std::int32_t>(v.get_int64()));
}

json::value write(const quantity& q) { return json::value(q.text()); }

template<class Unit>
json::value write(const basic_timestamp<Unit>& t)
{
    return t.is_zero() ? json::value() : json::value(t.text());
}

json::value write(const go_duration& d) { return json::value(d.text()); }

json::value write(const int_or_string& i)
{
    const auto* number = i.if_number();
    return number ? json::value(*number) : json::value(*i.if_text());
}

} // namespace

template<detail::json_scalar T>
json::value to_json(const T& from)
{
    return write(from);
}

template<detail::json_scalar T>
result<T> from_json(const json::value& from)
{
    return read(from, static_cast<const T*>(nullptr));
}

template<detail::json_scalar T>
void tag_invoke(const json::value_from_tag&, json::value& to, const T& from)
{
    to = write(from);
}

template<detail::json_scalar T>
boost::system::result<T, boost::system::error_code> tag_invoke(const json::try_value_to_tag<T>&,
                                                               const json::value& from)
{
    auto read = from_json<T>(from);
    if (!read) return read.error().code();
    return *std::move(read);
}

template json::value to_json(const quantity&);
template result<quantity> from_json(const json::value&);
template void tag_invoke(const json::value_from_tag&, json::value&, const quantity&);
template boost::system::result<quantity, boost::system::error_code> tag_invoke(const json::try_value_to_tag<quantity>&,
                                                                               const json::value&);

template json::value to_json(const timestamp&);
template result<timestamp> from_json(const json::value&);
template void tag_invoke(const json::value_from_tag&, json::value&, const timestamp&);
template boost::system::result<timestamp, boost::system::error_code>
tag_invoke(const json::try_value_to_tag<timestamp>&, const json::value&);

template json::value to_json(const micro_timestamp&);
template result<micro_timestamp> from_json(const json::value&);
template void tag_invoke(const json::value_from_tag&, json::value&, const micro_timestamp&);
template boost::system::result<micro_timestamp, boost::system::error_code>
tag_invoke(const json::try_value_to_tag<micro_timestamp>&, const json::value&);

template json::value to_json(const go_duration&);
template result<go_duration> from_json(const json::value&);
template void tag_invoke(const json::value_from_tag&, json::value&, const go_duration&);
template boost::system::result<go_duration, boost::system::error_code>
tag_invoke(const json::try_value_to_tag<go_duration>&, const json::value&);

template json::value to_json(const int_or_string&);
template result<int_or_string> from_json(const json::value&);
template void tag_invoke(const json::value_from_tag&, json::value&, const int_or_string&);
template boost::system::result<int_or_string, boost::system::error_code>
tag_invoke(const json::try_value_to_tag<int_or_string>&, const json::value&);

} // namespace kubecoro
