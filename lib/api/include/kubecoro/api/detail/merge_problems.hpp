// Says why a configuration cannot be merged, in the words of a kube-apiserver.
#pragma once

#include <kubecoro/api/detail/merge_type.hpp>

#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// Whether several items of a list may have equal keys, as in objects that exist.
enum class equal_keys
{
    refused,
    allowed
};

/// Returns why a value cannot be merged: members that its type does not have, items without their keys or with equal ones.
/// Bounded in number.
[[nodiscard]] std::vector<std::string> merge_problems(const boost::json::value& v, const merge_type& type,
                                                      equal_keys equal = equal_keys::refused);

/// Returns the words for a configuration that has problems: "failed to create typed patch object (shop/web; apps/v1,
/// Kind=Deployment): " and the problems.
/// @param type  As merge_type_text() says it.
[[nodiscard]] std::string typed_patch_problem(const boost::json::value& config, std::string_view type,
                                              std::vector<std::string> problems);
/// Returns "apps/v1, Kind=Deployment", or "/v1, Kind=Pod".
[[nodiscard]] std::string merge_type_text(std::string_view api_version, std::string_view kind);

} // namespace kubecoro::detail
