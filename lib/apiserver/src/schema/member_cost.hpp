// Bounds the cost of comparing the members of a document.
#pragma once

#include <kubecoro/client/detail/yaml_text.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <string_view>

namespace kubecoro::apiserver {

/// See most_key_comparisons.
inline constexpr std::size_t most_comparisons = detail::most_key_comparisons;

/// Comparisons of keys that building these objects takes when all keys of each collide; of broken text those of the part
/// that can be read.
[[nodiscard]] std::size_t key_comparisons(std::string_view text, std::size_t max_depth);
[[nodiscard]] std::size_t key_comparisons(const boost::json::value& v);

} // namespace kubecoro::apiserver
