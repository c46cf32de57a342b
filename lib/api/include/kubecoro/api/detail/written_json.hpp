#pragma once
// JSON for servers and readers, and JSON for people: numbers as they are usually written, and safe for a terminal.

#include <boost/json/fwd.hpp>

#include <string>
#include <string_view>

namespace kubecoro::detail {

/// False if a number in the value is infinite or NaN: JSON has no text for it.
[[nodiscard]] bool has_json_text(const boost::json::value& v);

/** Compact JSON. A value without a JSON text becomes a text that no reader accepts.

    Boost.JSON 1.83 and later write `null` for NaN, which removes a field in a merge patch, and 1e99999 for infinity. */
[[nodiscard]] std::string written_json(const boost::json::value& v);
[[nodiscard]] std::string written_json(const boost::json::object& o);
[[nodiscard]] std::string written_json(const boost::json::array& a);

/** The same JSON, with every character that moves a terminal's cursor or reorders text written as \uXXXX.

    Such characters occur in strings only, so that a reader gets the same values.
    @param json  Valid JSON. */
[[nodiscard]] std::string escaped_json(std::string_view json);

/// True if a character of the text moves a terminal's cursor or reorders text, or is not UTF-8. Line breaks count.
[[nodiscard]] bool needs_escapes(std::string_view text);

/// Indented by four spaces, as kubectl does, with a line break at the end. Safe for a terminal: see escaped_json().
[[nodiscard]] std::string to_json_text(const boost::json::value& v);

/// Compact JSON in one line without its end. Safe for a terminal.
[[nodiscard]] std::string to_json_line(const boost::json::value& v);

/// A number, boolean or null as JSON, a string without quotes; for objects and arrays compact JSON.
[[nodiscard]] std::string scalar_text(const boost::json::value& v);

} // namespace kubecoro::detail
