// Manifests of options: files, folders, texts.
#pragma once

#include <kubecoro/base/result.hpp>

#include <boost/json/value.hpp>

#include <string>
#include <vector>

namespace kubecoro::testing::detail {

/// The objects of all of them, in order; files of a folder by name. Errors: invalid, naming the file.
[[nodiscard]] result<std::vector<boost::json::value>> load_all(const std::vector<std::string>& sources);

} // namespace kubecoro::testing::detail
