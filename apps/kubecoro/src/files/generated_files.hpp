// Writes and compares generated code.
#pragma once

#include <kubecoro/base/result.hpp>
#include <kubecoro/codegen/generate.hpp>

#include <string>
#include <vector>

namespace kubecoro::tool {

/// Writes headers into `<folder>/include` and sources into `<folder>/src`. A file that is equal already stays untouched,
/// so that builds do nothing for it. Errors: cond::misconfigured with the path.
[[nodiscard]] result<> write_generated(const std::string& folder, const std::vector<codegen::generated_file>& files);

/// The paths of those that are missing or not equal.
[[nodiscard]] std::vector<std::string> differing_files(const std::string& folder,
                                                       const std::vector<codegen::generated_file>& files);

} // namespace kubecoro::tool
