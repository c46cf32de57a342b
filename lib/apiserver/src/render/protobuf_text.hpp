// Turns rendered JSON into Kubernetes' protobuf form.
#pragma once

#include "objects/stored_object.hpp"

#include <kubecoro/api/detail/schema.hpp>
#include <kubecoro/apiserver/status_error.hpp>

#include <string>
#include <string_view>

namespace kubecoro::apiserver {

/// Returns an object in its envelope. Errors: 500 if its kind has no protobuf form, or a value has the wrong type.
[[nodiscard]] answer<std::string> protobuf_object(std::string_view json);

/// Returns a frame of a watch. An object without a protobuf form becomes an ERROR event that says so.
[[nodiscard]] std::string protobuf_event(std::string_view type, std::string_view json);

/// Returns the message of a stored object, or of its metadata only, as `kind` says. Errors: 500.
[[nodiscard]] answer<std::string> protobuf_item(const detail::schema_kind& kind, const stored_object& object);

} // namespace kubecoro::apiserver
