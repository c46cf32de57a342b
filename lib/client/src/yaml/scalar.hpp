#pragma once
// The types of YAML 1.1's scalars, as go-yaml resolves them.

#include <kubecoro/client/detail/problem_words.hpp>

#include <boost/json/value.hpp>
#include <boost/system/result.hpp>

#include <string>

namespace kubecoro::detail {

/** The value of a scalar. Infinite numbers and NaN are doubles, which JSON cannot hold.
    @param tag  Empty for none. @param implicit  Nothing but its text says of which type it is. @return errors: the reason. */
[[nodiscard]] boost::system::result<boost::json::value, problem_words>
resolve_yaml(const std::string& tag, const std::string& text, bool implicit);

/// The text of a number that is a key: with the fewest digits of single precision, as Go's `%g`.
[[nodiscard]] std::string yaml_key_text(double number);

/// The integer if the double is one that Go writes without a point or an exponent: 2.0 is 2.
[[nodiscard]] boost::json::value whole_number(double number);

} // namespace kubecoro::detail
