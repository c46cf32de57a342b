#include <kubecoro/api/detail/protobuf_form.hpp>

#include "protobuf/loss_check.hpp"
#include "protobuf/message_writer.hpp"
#include "protobuf/object_reader.hpp"
#include "protobuf/struct_writer.hpp"

#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/base/printable.hpp>

#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

namespace kubecoro::detail {
namespace {

namespace json = boost::json;

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
