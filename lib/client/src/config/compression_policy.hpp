#pragma once
// Decides whether responses of a server are worth compressing. Sans-io.

#include <kubecoro/client/client.hpp>

#include <string>

namespace kubecoro::detail {

/** True for a server that is close by: a private, shared, loopback or link-local address (RFC 1918, 100.64/10, 127/8,
    169.254/16, fc00::/7, fe80::/10, ::1), a name without a dot, and names ending in .svc, .cluster.local or .localhost.
    Names are not resolved. */
[[nodiscard]] bool is_near(const std::string& host);

/// @param disabled  The cluster's disable-compression, which has precedence.
[[nodiscard]] bool wants_gzip(compression policy, bool disabled, const std::string& host);

} // namespace kubecoro::detail
