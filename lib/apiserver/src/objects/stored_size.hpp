// Estimates the size of an object in etcd, to which a cluster's limit applies.
#pragma once

#include "objects/registry.hpp"

#include <boost/json/value.hpp>

#include <cstddef>

namespace kubecoro::apiserver {

/// etcd's --max-request-bytes: a larger object is refused with etcd's error.
inline constexpr std::size_t max_stored_bytes = 1'572'864;

/** Returns the approximate bytes of the object in etcd, which stores custom resources as JSON and built-in kinds in a
    binary form without escapes and base64. */
[[nodiscard]] std::size_t stored_size(const resource_info& info, const boost::json::value& body);

} // namespace kubecoro::apiserver
