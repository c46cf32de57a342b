// Lists as they are sent: made item by item, so that a client that does not read costs one part of its answer.
#pragma once

#include "render/render.hpp"

#include <kubecoro/apiserver/http_types.hpp>

#include <memory>

namespace kubecoro::apiserver {

/// The list with a newline behind it.
[[nodiscard]] std::unique_ptr<body_stream> make_list_stream(const resource_info& info, list_page page, rendering form,
                                                            wall_time now);

/// Compact JSON with two spaces of indent per level, and no newline behind it.
[[nodiscard]] std::unique_ptr<body_stream> make_pretty(std::unique_ptr<body_stream> compact);

} // namespace kubecoro::apiserver
