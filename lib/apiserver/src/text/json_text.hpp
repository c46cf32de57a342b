// Writes JSON text like Go's encoder, parses request bodies, and provides helpers for JSON values.
#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/client/detail/yaml_text.hpp>

#include <boost/json/value.hpp>
#include <boost/system/result.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

namespace json = boost::json;

/// Appends a JSON string with Go's HTML escaping: `<`, `>` and `&` become \u003c and so on. As in Go, each byte that is
/// not UTF-8 becomes U+FFFD, so that the text is JSON whatever a request holds.
void append_quoted(std::string& out, std::string_view text);
[[nodiscard]] std::string quote(std::string_view text);
/// As Go prints a list of texts with %q.
[[nodiscard]] std::string quoted_list(const std::vector<std::string>& texts);

/// Appends compact text in the format of Go's encoder.
void append_json(std::string& out, const json::value& v);
[[nodiscard]] std::string to_text(const json::value& v);

/** Indents compact JSON by two spaces per level, up to 32 levels; deeper levels are indented like the 32nd. Drops white
    space outside strings. */
class json_indenter
{
public:
    /// Indents the next part of the compact text and appends it to `out`. Parts may be split anywhere.
    void feed(std::string& out, std::string_view part);

private:
    void line(std::string& out) const;

    std::size_t depth_ = 0;
    bool in_string_ = false;
    bool escaped_ = false;
    /// Set after an opening bracket: a line break follows unless it is closed at once.
    bool opened_ = false;
};

[[nodiscard]] std::string indent_json(std::string_view compact);

/// Parses one JSON document. Errors have the wording of Go's parser.
[[nodiscard]] boost::system::result<json::value, detail::problem_words> parse_json(std::string_view text,
                                                                                   std::size_t max_depth);

/// Parses text that this library wrote. Throws std::logic_error when it is not JSON.
[[nodiscard]] json::value parse_trusted(std::string_view text);

/// Returns the value at a dotted path such as "spec.nodeName"; null when any step is missing.
[[nodiscard]] const json::value* find_at(const json::value& v, std::string_view dotted);
/// Returns the string at the path; empty when absent or of another type.
[[nodiscard]] std::string_view text_at(const json::value& v, std::string_view dotted);
/// Returns the integer at the path; `otherwise` when absent or of another type.
[[nodiscard]] std::int64_t int_at(const json::value& v, std::string_view dotted, std::int64_t otherwise = 0);
/// Returns the array or object at the path; null when absent or of another type.
[[nodiscard]] const json::array* array_at(const json::value& v, std::string_view dotted);
[[nodiscard]] const json::object* object_at(const json::value& v, std::string_view dotted);

[[nodiscard]] json::array to_array(const std::vector<std::string>& texts);

/// Formats a scalar for field selectors and tables: strings unquoted, booleans and numbers as JSON, null as "".
[[nodiscard]] std::string scalar_text(const json::value& v);

/// Returns the member as an object. Creates it when absent and replaces it when it is not an object.
json::object& object_member(json::object& parent, std::string_view key);
/// Sets the member when it is absent or null.
void default_member(json::object& parent, std::string_view key, json::value v);
/// Erases the members whose names `doomed` selects, in linear time. The others keep their order.
void erase_members(json::object& from, const std::function<bool(std::string_view)>& doomed);
/// Sorts members by name, at every level.
void sort_deep(json::value& v);
/// Sorts members by name, at this level only.
void sort_members(json::object& o);

/// Formats as "2026-11-21T06:21:25Z".
[[nodiscard]] std::string format_time(wall_time t);
/// Parses the same format, also with fractions and offsets. @return false when `text` is not a time.
bool parse_time(std::string_view text, wall_time& out);

/// See most_key_comparisons.
inline constexpr std::size_t most_comparisons = detail::most_key_comparisons;

using detail::key_comparisons;

/// Comparisons of keys that building these objects takes when all keys of each collide.
[[nodiscard]] std::size_t key_comparisons(const boost::json::value& v);

} // namespace kubecoro::apiserver
