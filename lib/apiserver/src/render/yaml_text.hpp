// Converts YAML into JSON values with the scalar types of YAML 1.1.
#pragma once

#include <boost/json/value.hpp>
#include <boost/system/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// Parses one document; an empty text yields an empty object. Errors: the reason, with the line.
[[nodiscard]] boost::system::result<boost::json::value, std::string> parse_yaml(std::string_view text);

/// Parses all documents and returns the non-empty ones.
[[nodiscard]] boost::system::result<std::vector<boost::json::value>, std::string> parse_yaml_all(std::string_view text);

/// Keys that a map of the first document has twice, as kube-apiserver words it: `line 3: key "a" already set in map`.
[[nodiscard]] std::vector<std::string> duplicate_keys_of_yaml(std::string_view text);

} // namespace kubecoro::apiserver
