// Bounds the cost of comparing the members of a document.
#pragma once

#include <boost/json/value.hpp>

#include <cstddef>
#include <string_view>

namespace kubecoro::apiserver {

/** One object of 10,000 members. Boost.JSON hashes keys by FNV-1a, salted by an address; whether two keys collide depends
    on eight bits of that. A client that chooses the keys can force a comparison of each member with all earlier ones. */
inline constexpr std::size_t most_comparisons = 50'000'000;

/// Comparisons of keys that building these objects takes when all keys of each collide; of broken text those of the part
/// that can be read.
[[nodiscard]] std::size_t key_comparisons(std::string_view text, std::size_t max_depth);
[[nodiscard]] std::size_t key_comparisons(const boost::json::value& v);

} // namespace kubecoro::apiserver
