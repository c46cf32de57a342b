#pragma once

#include <string>

namespace kubecoro::test {

/// The content of a file, compressed by zstd or as it is. Throws std::runtime_error when it is missing or damaged.
[[nodiscard]] std::string read_samples(const std::string& path);

} // namespace kubecoro::test
