// YAML into JSON values, typed as YAML 1.1 has it.
#pragma once

#include <boost/json/value.hpp>
#include <boost/system/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// One document; an empty text is an empty object. Errors: what is wrong, with the line.
[[nodiscard]] boost::system::result<boost::json::value, std::string> parse_yaml(std::string_view text);

/// Every document that is not empty.
[[nodiscard]] boost::system::result<std::vector<boost::json::value>, std::string> parse_yaml_all(std::string_view text);

/// Keys that a map of the first document has twice, as kube-apiserver words it: `line 3: key "a" already set in map`.
[[nodiscard]] std::vector<std::string> duplicate_keys_of_yaml(std::string_view text);

} // namespace kubecoro::apiserver
