#pragma once
// The value types in JSON, by themselves and for boost::json::value_from() and value_to(), which find them in containers
// and described structs too.

#include <kubecoro/api/go_duration.hpp>
#include <kubecoro/api/int_or_string.hpp>
#include <kubecoro/api/quantity.hpp>
#include <kubecoro/api/timestamp.hpp>

#include <boost/json/fwd.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

#include <concepts>

namespace kubecoro {

namespace detail {
/// The types that have a JSON form of their own.
template<class T>
concept json_scalar = std::same_as<T, quantity> || std::same_as<T, timestamp> || std::same_as<T, micro_timestamp> ||
                      std::same_as<T, go_duration> || std::same_as<T, int_or_string>;
} // namespace detail

/// A value as Kubernetes writes it: its text(), the number of an int_or_string, null for a time that is no time.
template<detail::json_scalar T>
[[nodiscard]] boost::json::value to_json(const T& from);

/** Reads a value as Kubernetes does: a text; also a number for a quantity or an int_or_string; also null, which is zero,
    but not for a go_duration. A quantity that is a number in JSON becomes a text when it is written.
    Errors: cond::invalid, with the text or the kind of JSON. */
template<detail::json_scalar T>
[[nodiscard]] result<T> from_json(const boost::json::value& from);

/// For boost::json::value_from().
template<detail::json_scalar T>
void tag_invoke(const boost::json::value_from_tag& tag, boost::json::value& to, const T& from);
/// For boost::json::value_to() and try_value_to(), whose error codes have no text.
template<detail::json_scalar T>
[[nodiscard]] boost::system::result<T, boost::system::error_code>
tag_invoke(const boost::json::try_value_to_tag<T>& tag, const boost::json::value& from);

} // namespace kubecoro
