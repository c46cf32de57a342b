#include "protobuf/message_writer.hpp"

#include "text/go_text.hpp"
#include "typed/struct_members.hpp"
#include "values/go_values.hpp"

#include <kubecoro/api/bytes.hpp>
#include <kubecoro/api/go_duration.hpp>
#include <kubecoro/api/int_or_string.hpp>
#include <kubecoro/api/quantity.hpp>
#include <kubecoro/api/timestamp.hpp>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

namespace kubecoro::detail {
namespace {

namespace json = boost::json;
using flag = field_flag;

// Far from the depth at which decoders give up.
constexpr std::size_t deepest_struct = 50;
/// 10000-01-01, whose texts cannot be read again.
constexpr std::int64_t end_of_years = 253402300800;

using typed_value = struct_writer::typed_value;

/// Whether the value has that form, or is absent.
bool fits(const typed_value& v, value_form form) noexcept { return v.value == nullptr || v.type->form == form; }

/// The value of that type; the zero value if it is absent.
template<class T>
const T& or_zero(const typed_value& v)
{
    static const T zero{};
    return v.value == nullptr ? zero : *static_cast<const T*>(v.value);
}

struct_view part_of(const typed_value& v) noexcept
{
    static constexpr struct_type absent{{}, {}, {}, {}, struct_type::no_others};
    return v.value == nullptr ? struct_view{&absent, nullptr} : struct_view{&v.type->part(), v.value};
}

/// Shows inner values to a function object.
template<class See>
class each_inner final : public inner_values
{
public:
    explicit each_inner(See see) : see_(std::move(see)) {}
    bool see(std::string_view key, const void* value) override { return see_(key, value); }

private:
    See see_;
};

/// The value of an optional one.
typed_value within(typed_value v)
{
    while (v.value != nullptr && v.type->form == value_form::optional) {
        typed_value inner;
        each_inner only([&](std::string_view, const void* value) {
            inner = {v.type->item, value};
            return true;
        });
        v.type->visit(v.value, only);
        v = inner;
    }
    return v;
}

/// Whether the JSON is the same after it was read and written again. Recursive up to that depth.
// NOLINTNEXTLINE(misc-no-recursion)
bool is_plain(const json::value& v, std::size_t depth)
{
    if (depth == 0) return false;
    if (const auto* text = v.if_string()) return is_utf8(*text);
    if (const auto* array = v.if_array())
        return std::ranges::all_of(*array, [&](const auto& item) { return is_plain(item, depth - 1); });
    if (const auto* object = v.if_object())
        return std::ranges::all_of(
            *object, [&](const auto& member) { return is_utf8(member.key()) && is_plain(member.value(), depth - 1); });
    return v.is_null() || v.is_bool() || v.is_int64();
}

/// Whether a text that was kept for a field says no more than its absence, which a member that is set replaces.
bool says_nothing(std::string_view kept, const schema_field& f, const struct_field* member) noexcept
{
    if (member == nullptr) return false;
    const bool is_part = member->type->form == value_form::part && f.type == field_type::message && !may_be_absent(f) &&
                         builtin_schemas::message(f.message).form == json_form::object;
    return kept == "null" || (is_part && kept == "{}");
}

/// Whether the writer of JSON writes an empty text because a rule demands it, which would not be absent here.
bool is_demanded(const schema_field& f, const struct_field& member) noexcept
{
    return member.required && member.type->form == value_form::text && may_be_absent(f);
}

} // namespace

bool struct_writer::write(std::uint16_t message, struct_view from, wire_builder& out)
{
    out_ = &out;
    depth_ = 0;
    return object(message, from);
}

bool struct_writer::members(std::uint16_t message, struct_members& from)
{
    const auto fields = builtin_schemas::fields(message);
    return std::all_of(fields.rbegin(), fields.rend(), [&](const schema_field& f) { return field(f, from); });
}

bool struct_writer::field(const schema_field& f, struct_members& from)
{
    if (f.has(flag::inlined)) {
        const std::size_t mark = out_->size();
        if (!members(f.message, from)) return false;
        out_->close(f.number, mark);
        return true;
    }
    const auto name = builtin_schemas::text(f.name);
    const struct_field* const member = from.find(name);
    if (const auto kept = from.kept(name); !kept.empty() && !says_nothing(kept, f, member)) return false;
    typed_value given;
    if (member != nullptr) {
        const void* const value = from.value_of(*member);
        if (member->type->is_set(value))
            given = {member->type, value};
        else if (is_demanded(f, *member))
            return false;
    }
    if (f.has(flag::repeated)) return given.value == nullptr || list(f, given);
    if (f.has(flag::map)) return given.value == nullptr || map(f, given);
    return (given.value == nullptr && may_be_absent(f)) || value(f, f.number, given);
}

bool struct_writer::object(std::uint16_t message, struct_view from)
{
    if (depth_ == deepest_struct) return false;
    ++depth_;
    struct_members all(from);
    const bool good = members(message, all) && all.are_seen();
    --depth_;
    return good;
}

bool struct_writer::list(const schema_field& f, typed_value from)
{
    from = within(from);
    if (from.type->form != value_form::list) return false;
    each_inner item([&](std::string_view, const void* v) { return value(f, f.number, {from.type->item, v}); });
    return from.type->visit(from.value, item);
}

bool struct_writer::map(const schema_field& f, typed_value from)
{
    from = within(from);
    if (from.type->form != value_form::map) return false;
    each_inner entry([&](std::string_view key, const void* v) {
        const std::size_t mark = out_->size();
        if (!value(f, 2, {from.type->item, v}) || !text(1, key)) return false;
        out_->close(f.number, mark);
        return true;
    });
    return from.type->visit(from.value, entry);
}

bool struct_writer::value(const schema_field& f, std::uint32_t number, typed_value from)
{
    from = within(from);
    switch (f.type) {
    case field_type::string:
        return fits(from, value_form::text) && text(number, or_zero<std::string>(from));
    case field_type::bytes:
        if (!fits(from, value_form::bytes)) return false;
        out_->text_field(number, or_zero<bytes>(from).data);
        return true;
    case field_type::int32:
    case field_type::int64:
        return integer(f, number, from);
    case field_type::boolean:
        if (!fits(from, value_form::boolean)) return false;
        out_->number_field(number, or_zero<bool>(from) ? 1 : 0);
        return true;
    case field_type::real:
        return real(number, from);
    case field_type::message:
        break;
    }
    const std::size_t mark = out_->size();
    if (!message_content(f.message, from)) return false;
    out_->close(number, mark);
    return true;
}

bool struct_writer::text(std::uint32_t number, std::string_view content)
{
    if (!is_utf8(content)) return false;
    out_->text_field(number, content);
    return true;
}

bool struct_writer::integer(const schema_field& f, std::uint32_t number, typed_value from)
{
    std::int64_t whole = 0;
    if (fits(from, value_form::int32))
        whole = or_zero<std::int32_t>(from);
    else if (f.type == field_type::int64 && fits(from, value_form::int64))
        whole = or_zero<std::int64_t>(from);
    else
        return false;
    out_->number_field(number, static_cast<std::uint64_t>(whole));
    return true;
}

bool struct_writer::real(std::uint32_t number, typed_value from)
{
    if (!fits(from, value_form::number)) return false;
    const double v = or_zero<double>(from);
    // JSON has no sign of zero.
    if (!std::isfinite(v) || (v == 0 && std::signbit(v))) return false;
    out_->fixed_field(number, std::bit_cast<std::uint64_t>(v));
    return true;
}

bool struct_writer::message_content(std::uint16_t message, typed_value from)
{
    switch (builtin_schemas::message(message).form) {
    case json_form::object:
        return fits(from, value_form::part) && object(message, part_of(from));
    case json_form::array:
        return from.value == nullptr || list(builtin_schemas::fields(message).front(), from);
    case json_form::quantity:
        return quantity(from);
    case json_form::int_or_string:
        return int_or_string(from);
    case json_form::time:
        return time(from);
    case json_form::micro_time:
        return micro_time(from);
    case json_form::duration:
        return duration(from);
    case json_form::raw_json:
        return raw_json(from);
    case json_form::schema_or_array:
    case json_form::schema_or_bool:
    case json_form::schema_or_strings:
        break;
    }
    return false;
}

bool struct_writer::quantity(typed_value from)
{
    if (!fits(from, value_form::quantity)) return false;
    const auto written = from.value == nullptr ? "0" : or_zero<kubecoro::quantity>(from).text();
    const auto text = is_plain_quantity(written) ? go_quantity(written) : std::nullopt;
    if (text) out_->text_field(1, *text);
    return text.has_value();
}

bool struct_writer::int_or_string(typed_value from)
{
    if (!fits(from, value_form::int_or_string)) return false;
    const auto& v = or_zero<kubecoro::int_or_string>(from);
    const auto* const words = v.if_text();
    if (!text(3, words == nullptr ? std::string_view{} : *words)) return false;
    out_->number_field(2, words == nullptr ? static_cast<std::uint64_t>(std::int64_t{*v.if_number()}) : 0);
    out_->number_field(1, words == nullptr ? 0 : 1);
    return true;
}

bool struct_writer::time(typed_value from)
{
    return fits(from, value_form::timestamp) && point(or_zero<timestamp>(from).time().time_since_epoch().count(), 0);
}

bool struct_writer::micro_time(typed_value from)
{
    if (!fits(from, value_form::micro_timestamp)) return false;
    const auto since = or_zero<micro_timestamp>(from).time().time_since_epoch();
    const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
    const std::chrono::nanoseconds rest = since - seconds;
    return point(seconds.count(), rest.count());
}

bool struct_writer::point(std::int64_t seconds, std::int64_t nanos)
{
    if (seconds < no_time_seconds || seconds >= end_of_years) return false;
    if (seconds == no_time_seconds && nanos == 0) return true;
    out_->number_field(2, static_cast<std::uint64_t>(nanos));
    out_->number_field(1, static_cast<std::uint64_t>(seconds));
    return true;
}

bool struct_writer::duration(typed_value from)
{
    if (!fits(from, value_form::duration)) return false;
    out_->number_field(1, static_cast<std::uint64_t>(or_zero<go_duration>(from).length().count()));
    return true;
}

bool struct_writer::raw_json(typed_value from)
{
    if (!fits(from, value_form::any)) return false;
    const auto& v = or_zero<json::value>(from);
    if (!is_plain(v, deepest_struct)) return false;
    if (!v.is_null()) out_->text_field(1, json::serialize(v));
    return true;
}

} // namespace kubecoro::detail
