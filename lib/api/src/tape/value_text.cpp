// Converts tapes to JSON text.
#include "tape/number_text.hpp"
#include "tape/tape_reader.hpp"
#include "text/json_text.hpp"

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

} // namespace

std::string value_view::to_text() const
{
    std::string out;
    append_text(out);
    return out;
}

void value_view::append_text(std::string& out) const { append_value(out, *this, 0); }

} // namespace kubecoro
