// Structural schemas of custom resources in the server: kubecoro::object_schema checks, prunes and adds defaults.
#pragma once

#include "objects/status_errors.hpp"

#include <kubecoro/api/validation.hpp>

#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// encoding/json's name of the type of a value.
[[nodiscard]] std::string_view go_kind(const boost::json::value& v);

/// Refuses a value whose JSON type does not fit its Go field. @param field  "Secret.data". @param wanted  The Go type.
[[nodiscard]] status_error wrong_type(const std::string& kind, std::string_view version,
                                      const boost::json::value& found, std::string_view field, std::string_view wanted);

/// Appends the causes of a refusal.
void append_causes(std::vector<status_cause>& causes, const std::vector<field_error>& errors);

} // namespace kubecoro::apiserver
