// Says why a configuration cannot be merged, in the words of a kube-apiserver.
#pragma once

#include <kubecoro/api/detail/merge_type.hpp>

#include <boost/json/value.hpp>

#include <string>
#include <vector>

namespace kubecoro::apiserver {

/// Returns why a value cannot be merged: members that its type does not have, items without their keys or with equal ones.
/// Bounded in number.
[[nodiscard]] std::vector<std::string> merge_problems(const boost::json::value& v, const detail::merge_type& type);

} // namespace kubecoro::apiserver
