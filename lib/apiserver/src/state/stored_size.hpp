// How large an object is to the limits of a cluster, which are not about its JSON.
#pragma once

#include "state/registry.hpp"

#include <boost/json/value.hpp>

#include <cstddef>

namespace kubecoro::apiserver {

/// etcd's --max-request-bytes: a larger object is answered with its error.
inline constexpr std::size_t max_stored_bytes = 1'572'864;

/** Bytes the object takes in etcd, about: custom resources are kept there as JSON, built-in kinds in a binary form, where
    no character is escaped and binary data is not base64. */
[[nodiscard]] std::size_t stored_size(const resource_info& info, const boost::json::value& body);

} // namespace kubecoro::apiserver
