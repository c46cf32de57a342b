// The finalizers of an object, and those by which an owner waits for the garbage collector.
#pragma once

#include <kubecoro/apiserver/detail/cluster_state_core.hpp>

#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

inline constexpr std::string_view foreground_finalizer = "foregroundDeletion";
inline constexpr std::string_view orphan_finalizer = "orphan";
/// In the specification of each namespace: removed with its content.
inline constexpr std::string_view namespace_finalizer = "kubernetes";

/// True for those that no group owns: the two above, and that of namespaces.
[[nodiscard]] bool is_standard_finalizer(std::string_view name);
/// Returns the warnings of a cluster when a write adds finalizers to a custom resource. @param before  A JSON null for a new
/// object.
[[nodiscard]] std::vector<std::string> finalizer_warnings(const boost::json::value& before,
                                                          const boost::json::value& after);

[[nodiscard]] bool has_finalizers(const boost::json::value& body);
[[nodiscard]] bool has_finalizer(const boost::json::value& body, std::string_view name);
void remove_finalizer(boost::json::value& body, std::string_view name);

/** Gives an object that is to be deleted the finalizer of the propagation that the request asks for; without one, that of
    the finalizers it has, or its resource's default. @return whether the finalizers changed. */
[[nodiscard]] bool settle_propagation(const resource_info& info, const delete_request& how, boost::json::value& body);

} // namespace kubecoro::apiserver
