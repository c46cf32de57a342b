#pragma once

#include <kubecoro/endpoints/endpoint_options.hpp>

#include <string>

namespace kubecoro::detail {

/// What a server with these options has, for people: "/livez /readyz /metrics". Empty if it has nothing.
[[nodiscard]] std::string served_paths(const endpoint_options& o);

} // namespace kubecoro::detail
