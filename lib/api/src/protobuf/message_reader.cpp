#include "protobuf/message_reader.hpp"

#include "json/tape_sink.hpp"
#include "text/go_text.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <optional>

namespace kubecoro::detail {
namespace {

using flag = field_flag;

constexpr std::array<wire_type, 7> make_wire_types() noexcept
{
    std::array<wire_type, 7> types{};
    types.fill(wire_type::length);
    for (const auto t : {field_type::int32, field_type::int64, field_type::boolean})
        types[static_cast<std::size_t>(t)] = wire_type::varint;
    types[static_cast<std::size_t>(field_type::real)] = wire_type::fixed64;
    return types;
}
constexpr auto wire_types = make_wire_types();

constexpr wire_type wire_type_of(field_type t) noexcept { return wire_types[static_cast<std::size_t>(t)]; }

constexpr std::uint16_t many = flag::repeated | flag::map;

/// True if JSON leaves out an empty text in this field.
bool omits_empty_text(const schema_field& f) noexcept
{
    return (f.flags & (flag::omit_empty | flag::pointer)) == flag::omit_empty;
}

/// True if JSON leaves out a zero or false in this field.
bool omits_zero(const schema_field& f) noexcept
{
    constexpr auto others = flag::pointer | flag::omit_zero | many;
    return (f.flags & (flag::omit_empty | others)) == flag::omit_empty && wire_type_of(f.type) == wire_type::varint;
}

std::int64_t signed_value(const schema_field& f, std::uint64_t value) noexcept
{
    return f.type == field_type::int32 ? static_cast<std::int32_t>(value) : static_cast<std::int64_t>(value);
}

constexpr wire_type varint = wire_type::varint;
constexpr wire_type length = wire_type::length;

constexpr const char* damaged = "damaged protobuf";
constexpr const char* out_of_order = "protobuf fields are out of order";
constexpr const char* other_type = "a protobuf field has another type than its schema";

/// True for metadata.managedFields of the object itself.
bool is_managed_fields(const schema_field& f, std::size_t depth) noexcept
{
    return depth == 2 && f.type == field_type::message && builtin_schemas::text(f.name) == "managedFields";
}

/// Reads a message as Go writes it: each field once, in its order. False: it is written in another way, or damaged.
template<std::size_t N>
bool read_each(std::string_view content, const std::array<wire_type, N>& types, std::array<wire_field, N>& out) noexcept
{
    wire_cursor in(content);
    std::size_t i = 0;
    while (i != N && !in.done() && in.next_tag(out[i]) && out[i].number == i + 1 && out[i].type == types[i] &&
           in.next_value(out[i]))
        ++i;
    return i == N && in.done();
}

/// The items of a list kind; null for other kinds.
const schema_field* items_of(std::uint16_t message, std::string_view kind) noexcept
{
    const auto fields = builtin_schemas::fields(message);
    const bool is_list = kind.ends_with("List") && fields.size() >= 2 && fields[1].has(flag::repeated) &&
                         builtin_schemas::text(fields[1].name) == "items";
    return is_list ? &fields[1] : nullptr;
}

} // namespace

bool message_reader::fail(const char* why)
{
    if (problem_.empty()) problem_ = why;
    return false;
}

bool message_reader::pass_over(const wire_field& unknown, wire_cursor& in)
{
    ++unknown_fields_;
    tape_.forget_recordings();
    wire_field again;
    while (in.next_number() == unknown.number)
        if (!in.next(again)) return fail(damaged);
    return true;
}

template<std::size_t N>
bool message_reader::short_message(std::string_view content, const std::array<wire_type, N>& types,
                                   std::array<wire_field, N>& out)
{
    if (read_each(content, types, out)) return true;
    out = {};
    std::uint32_t last = 0;
    wire_cursor in(content);
    while (!in.done()) {
        wire_field f;
        if (!in.next(f)) return fail(damaged);
        if (f.number <= last) return fail(out_of_order);
        last = f.number;
        if (f.number > N) {
            if (!pass_over(f, in)) return false;
            continue;
        }
        if (f.type != types[f.number - 1]) return fail(other_type);
        out[f.number - 1] = f;
    }
    return true;
}

std::optional<message_reader::wire_time> message_reader::read_time(std::string_view content, bool micro)
{
    std::array<wire_field, 2> fields;
    if (!short_message(content, {varint, varint}, fields)) return std::nullopt;
    wire_time t;
    t.seconds = static_cast<std::int64_t>(fields[0].value);
    // Go cuts to microseconds before it looks for the zero time.
    if (micro) t.nanos = static_cast<std::int32_t>(fields[1].value) / 1000 * 1000;
    t.is_none = content.empty() || (t.seconds == no_time_seconds && t.nanos == 0);
    return t;
}

bool message_reader::is_omitted(const schema_field& f, const wire_field& w)
{
    if (!f.has(flag::omit_empty | flag::omit_zero) || f.has(flag::pointer)) return false;
    if (f.has(flag::omit_zero)) {
        const auto t = read_time(w.content, false);
        return t && t->is_none;
    }
    if (f.type == field_type::message)
        return w.content.empty() && builtin_schemas::message(f.message).form == json_form::array;
    return w.type == length ? w.content.empty() : signed_value(f, w.value) == 0;
}

bool message_reader::object(std::uint16_t message, std::string_view api_version, std::string_view kind,
                            std::string_view bytes)
{
    items_ = items_of(message, kind);
    if (!tape_.begin(true)) return false;
    if (!kind.empty() && !(key("kind") && text(kind) && key("apiVersion") && text(api_version))) return false;
    return members(message, bytes) && tape_.end();
}

bool message_reader::members(std::uint16_t message, std::string_view bytes)
{
    const schema_message& m = builtin_schemas::message(message);
    const auto fields = builtin_schemas::fields(m);
    const schema_field* next = fields.data();
    const schema_field* const end = next + fields.size();
    std::uint32_t last = 0;
    wire_cursor in(bytes);
    while (!in.done()) {
        const char* const begin = in.position();
        wire_field w;
        if (!in.next_tag(w)) return fail(damaged);
        if (w.number <= last) return fail(out_of_order);
        last = w.number;
        if (next == end || next->number != w.number) {
            const schema_field* const passed = next;
            while (next != end && next->number < w.number) ++next;
            if (m.has_nulls && !absent({passed, next})) return false;
            if (next == end || next->number != w.number) {
                if (!in.next_value(w)) return fail(damaged);
                if (!pass_over(w, in)) return false;
                continue;
            }
        }
        const schema_field& f = *next++;
        // Most fields are texts, and many of them are empty.
        if (f.type == field_type::string && !f.has(many) && w.type == length) {
            std::string_view content;
            if (!in.next_content(content)) return fail(damaged);
            if (content.empty() && omits_empty_text(f)) continue;
            if (!key(f) || !(tape_.repeat_string(content) || new_text(content))) return false;
            continue;
        }
        if (!in.next_value(w)) return fail(damaged);
        // The same of numbers.
        if (w.type == varint && signed_value(f, w.value) == 0 && omits_zero(f)) continue;
        if (!(f.has(many) ? run(f, w, begin, in) : single(f, w))) return false;
    }
    return !m.has_nulls || absent({next, end});
}

bool message_reader::absent(std::span<const schema_field> fields)
{
    for (const auto& f : fields) {
        if (!f.has(flag::null_if_absent)) continue;
        if (!key(f)) return false;
        const bool is_empty_list = &f == items_;
        if (!is_empty_list && !tape_.null()) return false;
        if (is_empty_list && !tape_.leaves_out_container() && !(tape_.begin(false) && tape_.end())) return false;
    }
    return true;
}

bool message_reader::single(const schema_field& f, const wire_field& w)
{
    if (w.type != wire_type_of(f.type)) return fail(other_type);
    if (f.has(flag::inlined)) return members(f.message, w.content);
    if (is_omitted(f, w)) return true;
    return key(f) && value(f, w);
}

bool message_reader::run(const schema_field& f, const wire_field& first, const char* begin, wire_cursor& in)
{
    if (!key(f)) return false;
    if (former_ == nullptr || !is_managed_fields(f, tape_.depth()) || !tape_.keeps_whole())
        return run_values(f, first, begin, in);
    compare_fields(first, in);
    const bool written = run_values(f, first, begin, in);
    reads_fields_ = false;
    return written;
}

bool message_reader::run_values(const schema_field& f, const wire_field& first, const char* begin, wire_cursor& in)
{
    const bool left_out = tape_.leaves_out_container();
    if (left_out || tape_.may_repeat_whole()) {
        wire_cursor following = in;
        while (following.next_number() == first.number) {
            wire_field more;
            if (!following.next(more)) return fail(damaged);
        }
        const std::string_view all(begin, static_cast<std::size_t>(following.position() - begin));
        // The elements of a run may have its bytes, too.
        if (left_out || tape_.repeat_whole(all, &f.flags)) {
            in = following;
            return true;
        }
    }
    return tape_.begin(f.has(flag::map)) && elements(f, first, in) && tape_.end();
}

bool message_reader::elements(const schema_field& f, const wire_field& first, wire_cursor& in)
{
    wire_field w = first;
    for (;;) {
        if (!element(f, w)) return false;
        if (in.next_number() != first.number) return true;
        if (!in.next(w)) return fail(damaged);
    }
}

bool message_reader::list(const schema_field& f, std::string_view all)
{
    if (!tape_.begin(false)) return false;
    wire_cursor in(all);
    if (in.done()) return tape_.end();
    wire_field first;
    if (!in.next(first)) return fail(damaged);
    return elements(f, first, in) && tape_.end();
}

bool message_reader::element(const schema_field& f, const wire_field& w)
{
    const bool is_map = f.has(flag::map);
    const wire_type expected = is_map ? wire_type::length : wire_type_of(f.type);
    if (w.type == expected) return is_map ? entry(f, w.content) : value(f, w);
    const bool is_packed = w.type == length && expected == wire_type::varint;
    return is_packed ? packed(f, w.content) : fail(other_type);
}

bool message_reader::entry(const schema_field& f, std::string_view content)
{
    // An absent value is empty: Go writes nothing for nil.
    std::array<wire_field, 2> fields;
    if (!short_message(content, {length, wire_type_of(f.type)}, fields)) return false;
    const auto& [name, w] = fields;
    if (is_utf8(name.content)) return key(name.content) && value(f, w);
    return key(valid_utf8(name.content)) && value(f, w);
}

bool message_reader::packed(const schema_field& f, std::string_view content)
{
    wire_cursor in(content);
    while (!in.done()) {
        wire_field w;
        if (!in.next_varint(w.value)) return fail(damaged);
        if (!value(f, w)) return false;
    }
    return true;
}

bool message_reader::value(const schema_field& f, const wire_field& w)
{
    switch (f.type) {
    case field_type::string:
        return text(w.content);
    case field_type::bytes:
        if (tape_.ignores_value()) return true;
        scratch_.clear();
        append_base64(scratch_, w.content);
        return tape_.string(scratch_);
    case field_type::int32:
    case field_type::int64:
        return tape_.integer(signed_value(f, w.value));
    case field_type::boolean:
        return tape_.boolean(w.value != 0);
    case field_type::real:
        return real(std::bit_cast<double>(w.value));
    case field_type::message:
        break;
    }
    return message_value(f, w.content);
}

bool message_reader::message_value(const schema_field& f, std::string_view content)
{
    switch (builtin_schemas::message(f.message).form) {
    case json_form::object:
        return object_value(f, content);
    case json_form::array:
        return named_list(f, content);
    case json_form::quantity: {
        std::array<wire_field, 1> amount;
        if (!short_message(content, {length}, amount)) return false;
        return text(amount[0].content.empty() ? "0" : amount[0].content);
    }
    case json_form::int_or_string:
        return int_or_string(content);
    case json_form::time:
    case json_form::micro_time:
        return time(content, builtin_schemas::message(f.message).form == json_form::micro_time);
    case json_form::duration: {
        std::array<wire_field, 1> nanos;
        if (!short_message(content, {varint}, nanos)) return false;
        return text(duration_text(static_cast<std::int64_t>(nanos[0].value)));
    }
    case json_form::raw_json:
        return raw_json(f, content);
    case json_form::schema_or_array:
    case json_form::schema_or_bool:
    case json_form::schema_or_strings:
        break;
    }
    return schema_or(f, content);
}

bool message_reader::object_value(const schema_field& f, std::string_view content)
{
    if (tape_.leaves_out_container()) return true;
    const bool is_item = f.has(flag::repeated);
    if (former_ != nullptr && tape_.depth() == 1 && copy_spec(f, content)) return true;
    if (!is_item && tape_.may_repeat_whole() && tape_.repeat_whole(content, &f)) return true;
    if (!tape_.begin(true)) return false;
    if (is_item && is_claim_template(f) &&
        !(key("kind") && text(claim_kind) && key("apiVersion") && text(claim_api_version)))
        return false;
    return members(f.message, content) && tape_.end();
}

bool message_reader::named_list(const schema_field& f, std::string_view content)
{
    if (tape_.leaves_out_container()) return true;
    const schema_field& items = builtin_schemas::fields(f.message).front();
    for (wire_cursor in(content); !in.done();) {
        wire_field w;
        if (!in.next(w) || w.number != items.number) return fail(damaged);
    }
    return list(items, content);
}

bool message_reader::int_or_string(std::string_view content)
{
    std::array<wire_field, 3> fields;
    if (!short_message(content, {varint, varint, length}, fields)) return false;
    const auto& [type, number, words] = fields;
    if (type.value == 0) return tape_.integer(static_cast<std::int32_t>(number.value));
    return text(words.content);
}

bool message_reader::time(std::string_view content, bool micro)
{
    const auto t = read_time(content, micro);
    if (!t) return false;
    if (t->is_none) return tape_.null();
    if (tape_.ignores_value()) return true;
    return tape_.string(micro ? times_.micro_time(t->seconds, t->nanos) : times_.time(t->seconds));
}

bool message_reader::raw_json(const schema_field& f, std::string_view content)
{
    if (reads_fields_ && copy_fields()) return true;
    std::array<wire_field, 1> raw;
    if (!short_message(content, {length}, raw)) return false;
    const std::string_view json = raw[0].content;
    if (json.empty()) return tape_.null();
    if (tape_.leaves_out_container()) return true;
    const scanned outcome = scan_value(json, tape_, !f.has(flag::repeated));
    return outcome == scanned::malformed ? fail("malformed JSON inside protobuf") : outcome == scanned::complete;
}

bool message_reader::schema_or(const schema_field& f, std::string_view content)
{
    const auto fields = builtin_schemas::fields(f.message);
    const json_form form = builtin_schemas::message(f.message).form;
    const bool list_wins = form != json_form::schema_or_bool;
    // schema_or_bool: {1 allows, 2 schema}; the others: {1 schema, 2 list}.
    const schema_field& schema = list_wins ? fields[0] : fields[1];
    std::optional<wire_field> alone;
    std::optional<std::string_view> all;
    bool allows = false;
    std::uint32_t last = 0;
    wire_cursor in(content);
    while (!in.done()) {
        const char* const begin = in.position();
        wire_field w;
        if (!in.next(w)) return fail(damaged);
        if (w.number <= last) return fail(out_of_order);
        last = w.number;
        if (w.number == schema.number) {
            if (w.type != length) return fail(other_type);
            alone = w;
        } else if (w.number > 2) {
            if (!pass_over(w, in)) return false;
        } else if (list_wins) {
            while (in.next_number() == w.number)
                if (!in.next(w)) return fail(damaged);
            all.emplace(begin, static_cast<std::size_t>(in.position() - begin));
        } else {
            if (w.type != varint) return fail(other_type);
            allows = w.value != 0;
        }
    }
    if (all) return tape_.leaves_out_container() || list(fields[1], *all);
    if (alone) return object_value(schema, alone->content);
    return list_wins ? tape_.null() : tape_.boolean(allows);
}

bool message_reader::text(std::string_view bytes) { return tape_.repeat_string(bytes) || new_text(bytes); }

bool message_reader::new_text(std::string_view bytes)
{
    if (is_utf8(bytes)) return tape_.string(bytes);
    scratch_.clear();
    append_valid_utf8(scratch_, bytes);
    return tape_.string(scratch_);
}

bool message_reader::real(double value)
{
    const auto shown = real_text(value);
    if (!shown) return fail("a number is not finite");
    std::int64_t whole = 0;
    const auto [end, error] = std::from_chars(shown->data(), shown->data() + shown->size(), whole);
    // -0 has no integer.
    const bool is_integer = error == std::errc{} && end == shown->data() + shown->size() && *shown != "-0";
    return is_integer ? tape_.integer(whole) : tape_.number(*shown);
}

} // namespace kubecoro::detail
