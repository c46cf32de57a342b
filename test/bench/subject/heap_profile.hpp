#pragma once

#include <kubecoro/base/result.hpp>

#include <cstdint>
#include <string_view>

namespace kubecoro::bench {

/// Bytes that a Go program has in use for its heap and its stacks, out of its heap profile as text. Errors: corrupt.
[[nodiscard]] result<std::uint64_t> memory_in_use(std::string_view heap_profile);

} // namespace kubecoro::bench
