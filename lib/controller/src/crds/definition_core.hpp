#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/// Whether version `a` is older than `b` in the order of Kubernetes: v1alpha1, v1beta1, v1, v2; other names are oldest.
[[nodiscard]] bool is_older_version(std::string_view a, std::string_view b);

/// Fails with cond::invalid if `wanted` takes a version away that `present` serves or stores, or stores an older one.
[[nodiscard]] result<> check_upgrade(const object& present, const boost::json::object& wanted);

/// Whether a definition is served: success, a failure that does not pass by itself, or empty = not yet.
[[nodiscard]] std::optional<result<>> readiness_of(const object& definition);
/// The condition that a definition lacks, for failures.
[[nodiscard]] std::string missing_condition(const object& definition);

} // namespace kubecoro::detail
