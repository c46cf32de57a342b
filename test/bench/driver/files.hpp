#pragma once

#include <kubecoro/base/result.hpp>

#include <string>
#include <string_view>

namespace kubecoro::bench {

/// Errors: not_found.
[[nodiscard]] result<std::string> read_file(const std::string& path);
/// The text of a file, empty when it cannot be read.
[[nodiscard]] std::string text_of(const std::string& path);
/// Creates missing folders. Errors: misconfigured.
result<> write_file(const std::string& path, std::string_view text);

} // namespace kubecoro::bench
