#pragma once

#include <kubecoro/endpoints/endpoint_options.hpp>

#include <string>

namespace kubecoro::detail {

/// The paths of a server with these options, for people: "/livez /readyz /metrics". Empty if it serves none.
[[nodiscard]] std::string served_paths(const endpoint_options& o);

} // namespace kubecoro::detail
