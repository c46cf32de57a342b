// Ports, by number and by name.
#pragma once

#include "objects/names.hpp"

#include <kubecoro/apiserver/status_error.hpp>

#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

inline constexpr std::string_view port_rule = "must be between 1 and 65535, inclusive";

[[nodiscard]] inline bool is_port(std::int64_t number) noexcept { return number >= 1 && number <= 65'535; }

/// Why a text is no name of a port; none if it is one.
[[nodiscard]] std::vector<std::string> port_name_problems(std::string_view name);
/// Checks a number or name. @param port  Null: absent, which counts as 0.
void validate_port(const boost::json::value* port, const std::string& field, std::vector<status_cause>& causes);

} // namespace kubecoro::apiserver
