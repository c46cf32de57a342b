// Kubernetes' protobuf form of JSON objects, for servers and for request bodies.
#pragma once

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/schema.hpp>
#include <kubecoro/api/detail/struct_type.hpp>

#include <boost/json/fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/// The Content-Type of the form.
inline constexpr std::string_view protobuf_type = "application/vnd.kubernetes.protobuf";

/** Returns the message of an object: its content, without envelope. Members that the kind's schema does not have are
    left out; kind and apiVersion among them. The cost is linear.

    Errors: cond::invalid with the path of a member whose value is of the wrong type. */
[[nodiscard]] result<std::string> protobuf_message(const schema_kind& kind, const boost::json::object& object);

/// Wraps a message into its envelope.
[[nodiscard]] std::string protobuf_envelope(std::string_view api_version, std::string_view kind,
                                            std::string_view message);

/// Returns an object that says its apiVersion and kind as a message in its envelope. Errors: cond::invalid, also if
/// the kind has no schema.
[[nodiscard]] result<std::string> to_protobuf(const boost::json::value& object);

/** Returns JSON text as the body of a write, if a server reads the same object from it as from the JSON.

    @param kind  Null: the object says its own. Else it may say this one or none.
    Errors: cond::corrupt; cond::invalid with the path of the first member for which the forms differ: one that the schema
    does not have, that occurs twice, whose value is of the wrong type, or that Go reads from JSON in another way. Also
    invalid if the kind has no schema. */
[[nodiscard]] result<std::string> encode_protobuf_body(std::string_view json, const schema_kind* kind);

/** Returns a struct as the body of a write. The same bytes as those of its JSON, in a fraction of the time; nothing for what
    structs seldom hold, such as unknown fields: then the JSON has to be encoded.

    @param kind  Null: the kind of the struct. Else the struct is of this one. */
[[nodiscard]] std::optional<std::string> encode_protobuf_body(struct_view from, const schema_kind* kind);

/// Returns a frame of a watch: its length, the type of the event, and the object.
/// @param object  In its envelope.
[[nodiscard]] std::string protobuf_frame(std::string_view type, std::string_view object);

/// The size of an item in a list.
[[nodiscard]] std::size_t protobuf_item_size(std::size_t message_size) noexcept;
/** Returns everything before the first item of a list. The items follow, then protobuf_list_tail.

    @param items_size  The sum of protobuf_item_size() over all items.
    @param list        The list without items. */
[[nodiscard]] result<std::string> protobuf_list_head(const schema_kind& kind, const boost::json::object& list,
                                                     std::uint64_t items_size);
void append_protobuf_item(std::string& out, std::string_view message);
/// The empty fields that end every envelope.
inline constexpr std::string_view protobuf_list_tail{"\x1a\x00\x22\x00", 4};

/** Decodes the body of a request.

    @param api_version, kind  The type of an object that does not say its own.
    @return the object. Errors: cond::corrupt; cond::invalid if the object exceeds the limits. */
[[nodiscard]] result<object> decode_protobuf_body(std::string_view body, std::string_view api_version,
                                                  std::string_view kind, const decode_limits& limits);

} // namespace kubecoro::detail
