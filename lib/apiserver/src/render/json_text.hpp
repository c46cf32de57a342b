// JSON text as Go writes it, reading of request bodies, and small helpers on values.
#pragma once

#include <kubecoro/base/clock.hpp>

#include <boost/json/value.hpp>
#include <boost/system/result.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace kubecoro::apiserver {

namespace json = boost::json;

/// A JSON string with Go's HTML escaping: `<`, `>` and `&` become \u003c and so on.
void append_quoted(std::string& out, std::string_view text);
[[nodiscard]] std::string quoted(std::string_view text);

/// Compact text as Go's encoder writes it.
void append_json(std::string& out, const json::value& v);
[[nodiscard]] std::string to_text(const json::value& v);

/** Writes compact text with two spaces of indent per level, up to 32 levels: deeper ones stay at that. White space
    outside of strings is dropped. */
class json_indenter
{
public:
    /// Appends what the next part of the compact text becomes; parts may be split anywhere.
    void feed(std::string& out, std::string_view part);

private:
    void line(std::string& out) const;

    std::size_t depth_ = 0;
    bool in_string_ = false;
    bool escaped_ = false;
    /// Behind a bracket that opened: a line follows unless it is closed at once.
    bool opened_ = false;
};

[[nodiscard]] std::string indent_json(std::string_view compact);

/// Parses one JSON document. The error is worded as Go's parser words it.
[[nodiscard]] boost::system::result<json::value, std::string> parse_json(std::string_view text, std::size_t max_depth);

/// Text of our own making: cannot fail.
[[nodiscard]] json::value parse_trusted(std::string_view text);

/// The value at "spec.nodeName", null when any step is missing.
[[nodiscard]] const json::value* find_at(const json::value& v, std::string_view dotted);
/// The string there; empty when absent or of another type.
[[nodiscard]] std::string_view text_at(const json::value& v, std::string_view dotted);
/// The integer there; `otherwise` when absent or of another type.
[[nodiscard]] std::int64_t int_at(const json::value& v, std::string_view dotted, std::int64_t otherwise = 0);
/// The array or object there, null when absent or of another type.
[[nodiscard]] const json::array* array_at(const json::value& v, std::string_view dotted);
[[nodiscard]] const json::object* object_at(const json::value& v, std::string_view dotted);

/// Any scalar as a field selector or a table sees it: strings bare, booleans and numbers as JSON, nothing for null.
[[nodiscard]] std::string scalar_text(const json::value& v);

/// The member as an object, created or replaced when it is none.
json::object& object_member(json::object& parent, std::string_view key);
/// Sets when absent.
void default_member(json::object& parent, std::string_view key, json::value v);
/// Erases the members whose names `doomed` picks. The others keep their order, and the cost is linear for all together.
void erase_members(json::object& from, const std::function<bool(std::string_view)>& doomed);
/// Members in the order of their names, at every level.
void sort_deep(json::value& v);
/// Members in the order of their names, this level only.
void sort_members(json::object& o);

/// "2026-11-21T06:21:25Z".
[[nodiscard]] std::string format_time(wall_time t);
/// Reads the same, with fractions and offsets; false when it is none.
bool parse_time(std::string_view text, wall_time& out);

} // namespace kubecoro::apiserver
