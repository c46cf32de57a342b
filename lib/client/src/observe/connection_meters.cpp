#include "observe/connection_meters.hpp"

namespace kubecoro::detail {

connection_meters::connection_meters(std::shared_ptr<metrics> sink, const std::string& host)
{
    if (!sink) sink = null_metrics();
    look_up = sink->make_histogram("rest_client_dns_resolution_duration_seconds", {{"host", host}});
    connect = sink->make_histogram("kubecoro_client_connect_seconds", {{"host", host}});
    tls_handshake = sink->make_histogram("kubecoro_client_tls_handshake_seconds", {{"host", host}});
    constexpr std::string_view connections = "kubecoro_client_connections_total";
    opened = sink->make_counter(connections, {{"host", host}, {"outcome", "opened"}});
    failed = sink->make_counter(connections, {{"host", host}, {"outcome", "failed"}});
    constexpr std::string_view sessions = "kubecoro_client_tls_handshakes_total";
    resumed = sink->make_counter(sessions, {{"host", host}, {"keys", "resumed"}});
    full = sink->make_counter(sessions, {{"host", host}, {"keys", "full"}});
}

} // namespace kubecoro::detail
