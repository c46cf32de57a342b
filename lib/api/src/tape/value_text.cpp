// Converts tapes to JSON text and to Boost.JSON values.
#include "tape/json_quote.hpp"
#include "tape/number_text.hpp"
#include "tape/tape_reader.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <charconv>
#include <limits>

namespace kubecoro {
namespace {

using detail::append_quoted;
using detail::head;

void append_value(std::string& out, const value_view& v, std::size_t depth)
{
    const head h = tape_access::head_of(v);
    switch (h.kind) {
    case value_kind::absent:
    case value_kind::null:
        out += "null";
        return;
    case value_kind::boolean:
        out += h.number != 0 ? "true" : "false";
        return;
    case value_kind::integer:
        out += detail::integer_text(h.number).view();
        return;
    case value_kind::number:
        out += h.text();
        return;
    case value_kind::string:
        append_quoted(out, h.text());
        return;
    case value_kind::array:
    case value_kind::object:
        break;
    }
    const bool is_object = h.kind == value_kind::object;
    bool first = true;
    out += is_object ? '{' : '[';
    if (depth < detail::deepest) {
        for (const auto& [key, value] : v.members()) {
            if (!first) out += ',';
            first = false;
            append_quoted(out, key);
            out += ':';
            append_value(out, value, depth + 1);
        }
        for (const value_view item : v.items()) {
            if (!first) out += ',';
            first = false;
            append_value(out, item, depth + 1);
        }
    }
    out += is_object ? '}' : ']';
}

boost::json::value number_to_json(std::string_view text)
{
    // Unsigned 64-bit counters stay exact; numbers with a fraction or an exponent become doubles, as in Boost.JSON
    // itself.
    std::uint64_t big = 0;
    const auto r = std::from_chars(text.data(), text.data() + text.size(), big);
    if (r.ec == std::errc{} && r.ptr == text.data() + text.size()) return big;
    // JSON has no infinity, and values read from JSON must be writable as JSON.
    constexpr double largest = std::numeric_limits<double>::max();
    return std::clamp(detail::double_value(text).value_or(0), -largest, largest);
}

boost::json::value value_to_json(const value_view& v, std::size_t depth)
{
    const head h = tape_access::head_of(v);
    switch (h.kind) {
    case value_kind::absent:
    case value_kind::null:
        return nullptr;
    case value_kind::boolean:
        return h.number != 0;
    case value_kind::integer:
        return h.number;
    case value_kind::number:
        return number_to_json(h.text());
    case value_kind::string:
        return boost::json::string(h.text());
    case value_kind::array: {
        boost::json::array array;
        if (depth == detail::deepest) return array;
        for (const value_view item : v.items()) array.push_back(value_to_json(item, depth + 1));
        return array;
    }
    case value_kind::object:
        break;
    }
    boost::json::object object;
    if (depth == detail::deepest) return object;
    for (const auto& [key, value] : v.members()) object.insert_or_assign(key, value_to_json(value, depth + 1));
    return object;
}

} // namespace

std::string value_view::to_text() const
{
    std::string out;
    append_text(out);
    return out;
}

void value_view::append_text(std::string& out) const { append_value(out, *this, 0); }

boost::json::value value_view::to_json() const { return value_to_json(*this, 0); }

} // namespace kubecoro
