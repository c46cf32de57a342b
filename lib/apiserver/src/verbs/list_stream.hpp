// Renders lists while they are sent, so that a client that does not read costs only one part of its answer.
#pragma once

#include "render/render.hpp"

#include <kubecoro/apiserver/http_types.hpp>

#include <memory>

namespace kubecoro::apiserver {

/// Streams the list: JSON with a trailing newline, or protobuf. Errors: 500 if an object has no protobuf form.
[[nodiscard]] answer<std::unique_ptr<body_stream>> make_list_stream(const resource_info& info, list_page page,
                                                                    rendering form, wall_time now);

/// Indents compact JSON by two spaces per level, without a trailing newline.
[[nodiscard]] std::unique_ptr<body_stream> make_pretty(std::unique_ptr<body_stream> compact);

} // namespace kubecoro::apiserver
