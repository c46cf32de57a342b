// Validates the volumes of pods, and how containers mount them.
#pragma once

#include <kubecoro/apiserver/status_error.hpp>

#include <boost/json/value.hpp>

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// Checks names and sources. @return the names. @param spec  Must outlive them.
std::set<std::string_view> validate_volumes(const boost::json::value& spec, const std::string& path,
                                            std::vector<status_cause>& causes);

/// Checks that each mount of a container is of a volume, and at a path of its own.
/// @param volumes  Null: which volumes there are is not known.
void validate_mounts(const boost::json::value& container, const std::set<std::string_view>* volumes,
                     const std::string& path, std::vector<status_cause>& causes);

} // namespace kubecoro::apiserver
