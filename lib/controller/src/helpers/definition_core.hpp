#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/// Fails with cond::invalid if `wanted` takes a version away that `present` serves or stores, or stores an older one.
[[nodiscard]] result<> check_upgrade(const object& present, const boost::json::object& wanted);

/// Whether a definition is served: success, a failure that does not pass by itself, or empty = not yet.
[[nodiscard]] std::optional<result<>> readiness_of(const object& definition);
/// The condition that a definition lacks, for failures.
[[nodiscard]] std::string missing_condition(const object& definition);

} // namespace kubecoro::detail
