// Bounds the cost of comparing the members of a document.
#pragma once

#include <kubecoro/client/detail/yaml_text.hpp>

#include <boost/json/value.hpp>

#include <cstddef>

namespace kubecoro::apiserver {

/// See most_key_comparisons.
inline constexpr std::size_t most_comparisons = detail::most_key_comparisons;

using detail::key_comparisons;

/// Comparisons of keys that building these objects takes when all keys of each collide.
[[nodiscard]] std::size_t key_comparisons(const boost::json::value& v);

} // namespace kubecoro::apiserver
