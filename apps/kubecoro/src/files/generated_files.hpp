// Writes and compares generated code.
#pragma once

#include <kubecoro/base/result.hpp>
#include <kubecoro/codegen/detail/generate.hpp>

#include <string>
#include <vector>

namespace kubecoro::tool {

/// Writes headers into `<folder>/include` and sources into `<folder>/src`. A file that is equal already stays untouched,
/// so that builds do nothing for it. Errors: cond::misconfigured with the path.
[[nodiscard]] result<> write_generated(const std::string& folder, const std::vector<codegen::generated_file>& files);

/// The paths of those that are missing or not equal.
[[nodiscard]] std::vector<std::string> differing_files(const std::string& folder,
                                                       const std::vector<codegen::generated_file>& files);

/// The paths of files in the folder that an earlier run wrote and this one does not: .hpp and .cpp files whose first line
/// is the banner of these files, which names the program and its source. Links are not followed.
[[nodiscard]] std::vector<std::string> stale_files(const std::string& folder,
                                                   const std::vector<codegen::generated_file>& files);

} // namespace kubecoro::tool
