#pragma once
// Counts and times the connections of a client.

#include <kubecoro/base/metrics.hpp>

#include <memory>
#include <string>

namespace kubecoro::detail {

/// Durations are in seconds.
struct connection_meters
{
    /// Look-ups of a name, also shared and cached ones.
    std::shared_ptr<metrics::histogram> look_up;
    /// TCP connections, without the look-up; with a proxy, until it has answered.
    std::shared_ptr<metrics::histogram> connect;
    std::shared_ptr<metrics::histogram> tls_handshake;
    std::shared_ptr<metrics::counter> opened;
    std::shared_ptr<metrics::counter> failed;
    /// TLS connections by the origin of their keys.
    std::shared_ptr<metrics::counter> resumed;
    std::shared_ptr<metrics::counter> full;

    /// @param sink  Null = null_metrics().
    explicit connection_meters(std::shared_ptr<metrics> sink = {}, const std::string& host = {});
};

} // namespace kubecoro::detail
