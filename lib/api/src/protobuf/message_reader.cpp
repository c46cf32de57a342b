#include "protobuf/message_reader.hpp"

#include "decode/scan_value.hpp"
#include "protobuf/go_text.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <optional>

namespace kubecoro::detail {
namespace {

using flag = field_flag;

wire_type wire_type_of(field_type t) noexcept
{
    switch (t) {
    case field_type::int32:
    case field_type::int64:
    case field_type::boolean:
        return wire_type::varint;
    case field_type::real:
        return wire_type::fixed64;
    case field_type::string:
    case field_type::bytes:
    case field_type::message:
        break;
    }
    return wire_type::length;
}

std::int64_t signed_value(const schema_field& f, std::uint64_t value) noexcept
{
    return f.type == field_type::int32 ? static_cast<std::int32_t>(value) : static_cast<std::int64_t>(value);
}

/// The first fields of a short message; the last value of each counts. None if the message is damaged.
template<std::size_t N>
std::optional<std::array<wire_field, N>> first_fields(std::string_view message) noexcept
{
    std::array<wire_field, N> out{};
    wire_cursor in(message);
    while (!in.done()) {
        wire_field f;
        if (!in.next(f)) return std::nullopt;
        if (f.number <= N) out[f.number - 1] = f;
    }
    return out;
}

bool is_no_time(std::string_view content) noexcept
{
    if (content.empty()) return true;
    const auto fields = first_fields<1>(content);
    return fields && static_cast<std::int64_t>((*fields)[0].value) == no_time_seconds;
}

/// True if Go's `omitempty` or `omitzero` leaves the value out.
bool is_omitted(const schema_field& f, const wire_field& w) noexcept
{
    if (f.has(flag::pointer)) return false;
    if (f.has(flag::omit_zero)) return is_no_time(w.content);
    if (!f.has(flag::omit_empty)) return false;
    if (f.type == field_type::message)
        return w.content.empty() && builtin_schemas::message(f.message).form == json_form::array;
    return w.type == wire_type::length ? w.content.empty() : w.value == 0;
}

/// The items of a list kind; null for other kinds.
const schema_field* items_of(std::uint16_t message, std::string_view kind) noexcept
{
    const auto fields = builtin_schemas::fields(message);
    const bool is_list = kind.ends_with("List") && fields.size() >= 2 && fields[1].has(flag::repeated) &&
                         builtin_schemas::text(fields[1].name) == "items";
    return is_list ? &fields[1] : nullptr;
}

/// The JSON of a kube-apiserver has kind and apiVersion in these objects; the message has no place for them.
bool is_claim_template(const schema_field& f) noexcept
{
    static const schema_kind* const claim = builtin_schemas::find("v1", "PersistentVolumeClaim");
    return claim != nullptr && f.message == claim->message && f.has(flag::repeated) &&
           builtin_schemas::text(f.name) == "volumeClaimTemplates";
}

} // namespace

bool message_reader::fail(std::string why)
{
    if (problem_.empty()) problem_ = std::move(why);
    return false;
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
    const auto fields = builtin_schemas::fields(message);
    auto next = fields.begin();
    std::uint32_t last = 0;
    wire_cursor in(bytes);
    while (!in.done()) {
        const char* const begin = in.position();
        wire_field w;
        if (!in.next(w)) return fail("damaged protobuf");
        if (w.number <= last) return fail("protobuf fields are out of order");
        last = w.number;
        for (; next != fields.end() && next->number < w.number; ++next)
            if (!absent(*next)) return false;
        if (next == fields.end() || next->number != w.number) {
            ++unknown_fields_;
            tape_.forget_recordings();
            while (in.next_number() == w.number)
                if (!in.next(w)) return fail("damaged protobuf");
            continue;
        }
        const schema_field& f = *next++;
        const bool many = f.has(flag::repeated | flag::map);
        if (!(many ? run(f, w, begin, in) : single(f, w))) return false;
    }
    for (; next != fields.end(); ++next)
        if (!absent(*next)) return false;
    return true;
}

bool message_reader::absent(const schema_field& f)
{
    if (f.has(flag::omit_empty | flag::omit_zero | flag::inlined)) return true;
    // A scalar or struct is always on the wire: an older server without the field has nothing in its JSON either.
    const bool is_list = f.type == field_type::message && !f.has(flag::pointer) &&
                         builtin_schemas::message(f.message).form == json_form::array;
    const bool nil = f.has(flag::pointer | flag::repeated | flag::map) || f.type == field_type::bytes || is_list;
    if (!nil) return true;
    if (!key(builtin_schemas::text(f.name))) return false;
    if (&f != items_) return tape_.null();
    return tape_.leaves_out_container() || (tape_.begin(false) && tape_.end());
}

bool message_reader::single(const schema_field& f, const wire_field& w)
{
    if (w.type != wire_type_of(f.type)) return fail("a protobuf field has another type than its schema");
    if (f.has(flag::inlined)) return members(f.message, w.content);
    if (is_omitted(f, w)) return true;
    return key(builtin_schemas::text(f.name)) && value(f, w);
}

bool message_reader::run(const schema_field& f, const wire_field& first, const char* begin, wire_cursor& in)
{
    while (in.next_number() == first.number) {
        wire_field more;
        if (!in.next(more)) return fail("damaged protobuf");
    }
    const std::string_view all(begin, static_cast<std::size_t>(in.position() - begin));
    if (!key(builtin_schemas::text(f.name))) return false;
    if (tape_.leaves_out_container() || copies(f, all)) return true;
    return tape_.begin(f.has(flag::map)) && elements(f, all) && tape_.end();
}

bool message_reader::elements(const schema_field& f, std::string_view run)
{
    const wire_type expected = f.has(flag::map) ? wire_type::length : wire_type_of(f.type);
    wire_cursor in(run);
    while (!in.done()) {
        wire_field w;
        if (!in.next(w)) return fail("damaged protobuf");
        const bool is_packed = w.type == wire_type::length && expected == wire_type::varint;
        if (w.type != expected && !is_packed) return fail("a protobuf field has another type than its schema");
        if (!(is_packed ? packed(f, w.content) : f.has(flag::map) ? entry(f, w.content) : value(f, w))) return false;
    }
    return true;
}

bool message_reader::entry(const schema_field& f, std::string_view content)
{
    const auto fields = first_fields<2>(content);
    if (!fields) return fail("damaged protobuf");
    const auto& [name, w] = *fields;
    // An absent value is empty: Go writes nothing for nil.
    const bool right_type = w.number == 0 || w.type == wire_type_of(f.type);
    if (!right_type || (name.number != 0 && name.type != wire_type::length))
        return fail("a protobuf field has another type than its schema");
    std::string valid;
    const bool is_valid = is_utf8(name.content);
    if (!is_valid) append_valid_utf8(valid, name.content);
    return key(is_valid ? name.content : std::string_view(valid)) && value(f, w);
}

bool message_reader::packed(const schema_field& f, std::string_view content)
{
    wire_cursor in(content);
    while (!in.done()) {
        wire_field w;
        if (!in.next_varint(w.value)) return fail("damaged protobuf");
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
        const auto fields = first_fields<1>(content);
        if (!fields) return fail("damaged protobuf");
        const std::string_view amount = (*fields)[0].content;
        return text(amount.empty() ? "0" : amount);
    }
    case json_form::int_or_string:
        return int_or_string(content);
    case json_form::time:
    case json_form::micro_time:
        return time(content, builtin_schemas::message(f.message).form == json_form::micro_time);
    case json_form::duration: {
        const auto fields = first_fields<1>(content);
        if (!fields) return fail("damaged protobuf");
        return text(duration_text(static_cast<std::int64_t>((*fields)[0].value)));
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
    if (!is_item && copies(f, content)) return true;
    if (!tape_.begin(true)) return false;
    if (is_item && is_claim_template(f) &&
        !(key("kind") && text("PersistentVolumeClaim") && key("apiVersion") && text("v1")))
        return false;
    return members(f.message, content) && tape_.end();
}

bool message_reader::named_list(const schema_field& f, std::string_view content)
{
    if (tape_.leaves_out_container()) return true;
    return tape_.begin(false) && elements(builtin_schemas::fields(f.message).front(), content) && tape_.end();
}

bool message_reader::int_or_string(std::string_view content)
{
    const auto fields = first_fields<3>(content);
    if (!fields) return fail("damaged protobuf");
    const auto& [type, number, words] = *fields;
    if (type.value == 0) return tape_.integer(static_cast<std::int32_t>(number.value));
    return text(words.content);
}

bool message_reader::time(std::string_view content, bool micro)
{
    if (is_no_time(content)) return tape_.null();
    const auto fields = first_fields<2>(content);
    if (!fields) return fail("damaged protobuf");
    const auto seconds = static_cast<std::int64_t>((*fields)[0].value);
    const auto shown =
        micro ? micro_time_text(seconds, static_cast<std::int32_t>((*fields)[1].value)) : time_text(seconds);
    return shown ? tape_.string(*shown) : fail("a time is out of range");
}

bool message_reader::raw_json(const schema_field& f, std::string_view content)
{
    const auto fields = first_fields<1>(content);
    if (!fields) return fail("damaged protobuf");
    const std::string_view json = (*fields)[0].content;
    if (json.empty()) return tape_.null();
    if (tape_.leaves_out_container()) return true;
    const bool is_container = json.front() == '{' || json.front() == '[';
    if (is_container && copies(f, json)) return true;
    const scanned outcome = scan_value(json, tape_);
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
    std::optional<std::string_view> list;
    bool allows = false;
    wire_cursor in(content);
    while (!in.done()) {
        const char* const begin = in.position();
        wire_field w;
        if (!in.next(w)) return fail("damaged protobuf");
        if (w.number == schema.number) {
            if (w.type != wire_type::length) return fail("damaged protobuf");
            alone = w;
        } else if (!list_wins && w.number == 1) {
            allows = w.value != 0;
        } else if (list_wins && w.number == 2 && !list) {
            while (in.next_number() == w.number)
                if (!in.next(w)) return fail("damaged protobuf");
            list.emplace(begin, static_cast<std::size_t>(in.position() - begin));
        }
    }
    if (list) {
        if (tape_.leaves_out_container()) return true;
        return tape_.begin(false) && elements(fields[1], *list) && tape_.end();
    }
    if (alone) return object_value(schema, alone->content);
    return list_wins ? tape_.null() : tape_.boolean(allows);
}

bool message_reader::text(std::string_view bytes)
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

bool message_reader::copies(const schema_field& f, std::string_view content)
{
    return tape_.may_repeat() && tape_.repeat_whole(content, &f);
}

} // namespace kubecoro::detail
