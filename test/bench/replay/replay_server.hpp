// A server that serves prepared objects to the measured clients, and sends events on command.
#pragma once

#include "data/data_set.hpp"
#include "stage.hpp"

#include <kubecoro/base/result.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace kubecoro::bench {

struct replay_options
{
    data_options data;
    std::string address = "127.0.0.1";
    /// 0: a free port.
    std::uint16_t port = 0;
    /// Directory with server.crt and server.key; empty: plain HTTP.
    std::string tls = {};
    /// File of protobuf records: every object in its first state, then every object in its second. Empty: JSON only.
    std::string protobuf = {};
    stage_options stage = {};
};

/** Two ports: one answers like a kube-apiserver that has a single resource, the other takes the driver's commands
    (always plain HTTP). Thread-safe. */
class replay_server
{
public:
    /// Prepares all bytes, then listens. Errors: cond::misconfigured, cond::invalid.
    [[nodiscard]] static result<std::unique_ptr<replay_server>> start(const replay_options& options);
    /// Ends all connections.
    ~replay_server();

    [[nodiscard]] std::uint16_t port() const;
    [[nodiscard]] std::uint16_t control_port() const;
    /// The driver's commands.
    [[nodiscard]] stage& objects();
    /// Returns after a `POST /quit`.
    void wait_for_quit();

private:
    struct state;
    explicit replay_server(std::unique_ptr<state> s);

    std::unique_ptr<state> state_;
};

/// Writes the records for a protobuf file: all objects, then the second state of the first `events`.
[[nodiscard]] result<> dump_records(const data_options& data, std::uint32_t events, const std::string& path);

} // namespace kubecoro::bench
