// What a CustomResourceDefinition must be before it is stored: names, group, versions, schemas.
#pragma once

#include <kubecoro/apiserver/status_error.hpp>

#include <boost/json/value.hpp>

#include <optional>
#include <vector>

namespace kubecoro::apiserver {

/// Schemas of the wrong JSON type: 400 in Go's words, or empty.
[[nodiscard]] std::optional<status_error> check_crd_types(const boost::json::value& crd);

void validate_crd(const boost::json::value& crd, std::vector<status_cause>& causes);

/// What decides where and how objects are stored must stay.
void validate_crd_update(const boost::json::value& before, const boost::json::value& after,
                         std::vector<status_cause>& causes);

} // namespace kubecoro::apiserver
