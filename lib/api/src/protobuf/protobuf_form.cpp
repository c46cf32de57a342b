// Objects in protobuf, and a check for the parts of a JSON object that its protobuf form would lose.
#include <kubecoro/api/detail/protobuf_form.hpp>

#include "protobuf/message_reader.hpp"
#include "protobuf/message_writer.hpp"
#include "protobuf/object_reader.hpp"
#include "values/go_values.hpp"

#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/api/value_view.hpp>
#include <kubecoro/base/printable.hpp>

#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace kubecoro::detail {

namespace json = boost::json;

/** Compares a JSON object with the schema of its kind, for everything that message_writer passes over: members that the
    schema does not have, members that occur twice, and values that a server reads from JSON in another way, or refuses.
    Values of the wrong type are left to message_writer. */
class loss_check
{
public:
    /// True: nothing is lost. False: problem() says which field has which problem.
    [[nodiscard]] bool passes(const schema_kind& kind, value_view object);
    [[nodiscard]] std::string problem() const { return problem_.text(); }

private:
    /// The kind and apiVersion that an object may state, although they are no fields of its message. Empty = none.
    struct stated_type
    {
        std::string_view api_version;
        std::string_view kind;
    };

    [[nodiscard]] bool members(std::uint16_t message, value_view object, const stated_type& type);
    [[nodiscard]] bool member(std::uint16_t message, std::string_view name, value_view v, const stated_type& type);
    [[nodiscard]] bool field(const schema_field& f, value_view v);
    [[nodiscard]] bool items(const schema_field& f, value_view array);
    [[nodiscard]] bool value(const schema_field& f, value_view v);
    [[nodiscard]] bool message(const schema_field& f, value_view v);
    [[nodiscard]] bool quantity(value_view v);
    [[nodiscard]] bool schema_or(std::uint16_t message, value_view v);
    [[nodiscard]] bool raw_json(value_view v);
    [[nodiscard]] bool distinct(value_view object);

    field_problem problem_;
    /// The names of one object, while they are compared.
    std::vector<std::string_view> names_;
};

using flag = field_flag;

bool loss_check::passes(const schema_kind& kind, value_view object)
{
    problem_.clear();
    const stated_type type{builtin_schemas::text(kind.api_version), builtin_schemas::text(kind.kind)};
    return members(kind.message, object, type);
}

bool loss_check::members(std::uint16_t message, value_view object, const stated_type& type)
{
    if (!distinct(object)) return false;
    for (const auto& [name, v] : object.members())
        if (!member(message, name, v, type)) return problem_.in(name);
    return true;
}

bool loss_check::member(std::uint16_t message, std::string_view name, value_view v, const stated_type& type)
{
    const bool is_kind = name == "kind";
    if (!type.kind.empty() && (is_kind || name == "apiVersion")) {
        const auto expected = is_kind ? type.kind : type.api_version;
        return v.as_string() == expected || problem_.is("expected \"" + std::string(expected) + "\"");
    }
    const auto* f = builtin_schemas::find_field(message, name);
    return f == nullptr ? problem_.is("unknown field") : field(*f, v);
}

bool loss_check::field(const schema_field& f, value_view v)
{
    if (f.has(flag::repeated)) return items(f, v);
    if (!f.has(flag::map)) return value(f, v);
    if (!distinct(v)) return false;
    for (const auto& [key, entry] : v.members())
        if (!value(f, entry)) return problem_.in(key);
    return true;
}

bool loss_check::items(const schema_field& f, value_view array)
{
    std::size_t index = 0;
    for (const auto item : array.items()) {
        if (!value(f, item)) return problem_.at(index);
        ++index;
    }
    return true;
}

bool loss_check::value(const schema_field& f, value_view v)
{
    if (f.type == field_type::message) return message(f, v);
    return f.type != field_type::real || std::isfinite(v.as_double()) || problem_.is("a number out of range");
}

bool loss_check::message(const schema_field& f, value_view v)
{
    switch (builtin_schemas::message(f.message).form) {
    case json_form::object:
        return members(f.message, v, is_claim_template(f) ? stated_type{claim_api_version, claim_kind} : stated_type());
    case json_form::array:
        return items(builtin_schemas::fields(f.message).front(), v);
    case json_form::quantity:
        return quantity(v);
    case json_form::micro_time:
        return !v.is_string() || read_micro_time(v.as_string()) || problem_.is("a time without six digits of fraction");
    case json_form::raw_json:
        return raw_json(v);
    case json_form::schema_or_array:
    case json_form::schema_or_bool:
    case json_form::schema_or_strings:
        return schema_or(f.message, v);
    case json_form::int_or_string:
    case json_form::time:
    case json_form::duration:
        break;
    }
    return true;
}

bool loss_check::quantity(value_view v)
{
    if (v.is_string()) return is_plain_quantity(v.as_string()) || problem_.is("an unusual quantity");
    // Go reads the digits; which ones were sent decides how it writes the quantity.
    return v.kind() != value_kind::number || problem_.is("a quantity with a fraction or an exponent that is no string");
}

bool loss_check::schema_or(std::uint16_t message, value_view v)
{
    const auto fields = builtin_schemas::fields(message);
    // schema_or_bool: {1 allows, 2 schema}; the others: {1 schema, 2 list}.
    const bool has_bool = builtin_schemas::message(message).form == json_form::schema_or_bool;
    return v.is_object() ? value(fields[has_bool ? 1 : 0], v) : items(fields[1], v);
}

bool loss_check::raw_json(value_view v)
{
    // JSON inside of a message is written from its values, and such a number would get other digits.
    if (v.kind() == value_kind::number) return problem_.is("a fraction or a large number in free-form JSON");
    if (!distinct(v)) return false;
    for (const auto& [name, inner] : v.members())
        if (!raw_json(inner)) return problem_.in(name);
    std::size_t index = 0;
    for (const auto item : v.items()) {
        if (!raw_json(item)) return problem_.at(index);
        ++index;
    }
    return true;
}

bool loss_check::distinct(value_view object)
{
    names_.clear();
    for (const auto& [name, v] : object.members()) names_.push_back(name);
    std::ranges::sort(names_);
    const auto twice = std::ranges::adjacent_find(names_);
    if (twice == names_.end()) return true;
    problem_.is("occurs twice");
    return problem_.in(*twice);
}

namespace {

constexpr std::uint32_t list_items = 2;
constexpr std::size_t shown_kind = 100;

failure no_form(std::string_view api_version, std::string_view kind)
{
    return failure(cond::invalid, "a kind without a protobuf form: " + printable(api_version, shown_kind) + " " +
                                      printable(kind, shown_kind));
}

/// Writes the beginning of an envelope, up to the content's length.
void begin_envelope(wire_builder& out, std::string_view api_version, std::string_view kind, std::uint64_t size)
{
    out.varint(size);
    out.tag(2, wire_type::length);
    const std::size_t mark = out.size();
    out.text_field(2, kind);
    out.text_field(1, api_version);
    out.close(1, mark);
    out.bytes(protobuf_magic);
}

} // namespace

result<std::string> protobuf_message(const schema_kind& kind, const json::object& object)
{
    message_writer writer;
    if (writer.write(kind.message, object)) return std::string(writer.content());
    return failure(cond::invalid, writer.problem());
}

std::string protobuf_envelope(std::string_view api_version, std::string_view kind, std::string_view message)
{
    wire_builder out;
    out.bytes(protobuf_list_tail);
    out.bytes(message);
    begin_envelope(out, api_version, kind, message.size());
    return std::string(out.view());
}

result<std::string> to_protobuf(const json::value& object)
{
    const auto* members = object.if_object();
    if (members == nullptr) return failure(cond::invalid, "expected an object");
    const auto api_version = text_in(*members, "apiVersion");
    const auto kind = text_in(*members, "kind");
    const auto* schema = builtin_schemas::find(api_version, kind);
    if (schema == nullptr) return no_form(api_version, kind);
    const auto message = protobuf_message(*schema, *members);
    if (!message) return message.error();
    return protobuf_envelope(api_version, kind, *message);
}

result<std::string> encode_protobuf_body(std::string_view json, const schema_kind* kind)
{
    const auto object = decode_object(json);
    if (!object) return object.error();
    if (kind == nullptr) kind = builtin_schemas::find(object->api_version(), object->kind());
    if (kind == nullptr) return no_form(object->api_version(), object->kind());
    loss_check check;
    if (!check.passes(*kind, object->root())) return failure(cond::invalid, check.problem());
    const auto members = object->to_json();
    const auto message = protobuf_message(*kind, members.get_object());
    if (!message) return message.error();
    return protobuf_envelope(builtin_schemas::text(kind->api_version), builtin_schemas::text(kind->kind), *message);
}

std::optional<std::string> encode_protobuf_body(struct_view from, const schema_kind* kind)
{
    const auto* const own = builtin_schemas::find(from.type->api_version, from.type->kind);
    if (own == nullptr || (kind != nullptr && kind != own)) return std::nullopt;
    wire_builder out;
    out.bytes(protobuf_list_tail);
    if (!struct_writer().write(own->message, from, out)) return std::nullopt;
    const auto size = out.size() - protobuf_list_tail.size();
    begin_envelope(out, from.type->api_version, from.type->kind, size);
    return std::string(out.view());
}

std::string protobuf_frame(std::string_view type, std::string_view object)
{
    wire_builder out;
    out.bytes(object);
    out.close(1, 0);
    out.close(2, 0);
    out.text_field(1, type);
    const std::size_t length = out.size();
    std::string frame;
    frame.reserve(4 + length);
    for (const int shift : {24, 16, 8, 0}) frame += static_cast<char>(length >> shift);
    return frame += out.view();
}

std::size_t protobuf_item_size(std::size_t message_size) noexcept
{
    return 1 + varint_size(message_size) + message_size;
}

result<std::string> protobuf_list_head(const schema_kind& kind, const json::object& list, std::uint64_t items_size)
{
    const auto metadata = protobuf_message(kind, list);
    if (!metadata) return metadata.error();
    wire_builder out;
    out.bytes(*metadata);
    begin_envelope(out, builtin_schemas::text(kind.api_version), builtin_schemas::text(kind.kind),
                   metadata->size() + items_size);
    return std::string(out.view());
}

void append_protobuf_item(std::string& out, std::string_view message)
{
    wire_builder head;
    head.varint(message.size());
    head.tag(list_items, wire_type::length);
    out += head.view();
    out += message;
}

result<object> decode_protobuf_body(std::string_view body, std::string_view api_version, std::string_view kind,
                                    const decode_limits& limits)
{
    if (!body.starts_with(protobuf_magic))
        return failure(cond::corrupt, "provided data does not appear to be a protobuf message, expected prefix "
                                      "[107 56 115 0]");
    auto message = read_envelope(body);
    if (!message) return message.error();
    if (message->kind.empty()) message->kind = kind;
    if (message->api_version.empty()) message->api_version = api_version;
    // Registered in every group, with the same fields.
    if (message->kind == "DeleteOptions") message->api_version = "v1";
    decode_options options;
    options.limits = limits;
    object_reader reader(options, nullptr);
    if (reader.read_typed(*message, false)) return reader.build(arrival::in_use);
    return failure(reader.exceeds_limit() ? cond::invalid : cond::corrupt, reader.why());
}

} // namespace kubecoro::detail
