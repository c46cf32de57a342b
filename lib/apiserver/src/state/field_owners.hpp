// Connects writes with the owners of the fields that they change.
#pragma once

#include "state/managed_fields.hpp"
#include "state/resource_store.hpp"

#include <kubecoro/apiserver/cluster_state_core.hpp>

#include <boost/json/value.hpp>

#include <string_view>

namespace kubecoro::apiserver {

/// The writer of a request at the present time.
[[nodiscard]] field_writer writer_of(const object_address& at, const write_flags& flags, wall_time now);

/// How the objects of a resource are merged, in an API version.
[[nodiscard]] merge_type merge_type_of(const resource_info& info, std::string_view version);

/// An object without content: that of Go's types for a built-in kind.
[[nodiscard]] boost::json::value empty_object(const resource_info& info);

/// The object from which a new one differs in all that its writer owns: empty but for what the server has filled in.
[[nodiscard]] boost::json::value object_before(const resource_info& info, const boost::json::value& body);

/// Returns an object without kind and apiVersion.
[[nodiscard]] boost::json::value without_type(boost::json::value body);

} // namespace kubecoro::apiserver
