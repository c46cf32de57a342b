#pragma once

#include <kubecoro/base/callback.hpp>
#include <kubecoro/client/client_options.hpp>
#include <kubecoro/controller/leader_election_options.hpp>
#include <kubecoro/controller/shard_options.hpp>
#include <kubecoro/endpoints/endpoint_options.hpp>
#include <kubecoro/manager/manager_options.hpp>

#include <string>

namespace CLI {
class App;
}

namespace kubecoro {

class manager;

/// Options of an operator's program, see run_operator(). The flags of the command line come after them.
struct operator_options
{
    /// The program's name: in its help, its log, its user agent, and in capitals at the front of its environment variables.
    std::string name = {};
    /// For --version, and for the user agent. Empty = "unknown".
    std::string version = {};
    /// One line for --help.
    std::string description = {};
    /// With a lease: one replica works at a time. Flags switch it off, and name the Lease.
    leader_election_options leader_election = {};
    /// With a group: all replicas work, each on its part of the keys.
    shard_options shards = {};
    /// Where /metrics is served, as endpoint_options::address: ":8080" is every interface, "8080" loopback. Empty = nowhere. An
    /// address of the loopback interface serves /debug as well.
    std::string metrics = {};
    /// Where /livez, /readyz and /healthz are served. May be the address of the metrics.
    std::string health = {};
    /// Where webhooks are served, which the set-up passes on: `webhooks hooks(m, {.address = o.webhooks})`. Empty = there are none,
    /// and no flag for them. The flag's "0" is for a program outside of its cluster, which no Service leads to.
    std::string webhooks = {};
    /// Certificate and key of the server of metrics, which then speaks TLS.
    endpoint_options::tls_files metrics_tls = {};
    /// Metrics and debug pages are for bearers of tokens that the API server lets `get` these paths, see access_filter. Debug
    /// pages are then served at any address.
    bool protect = false;
    /// For the connection. Clock, log and metrics are passed on to everything; empty = the program's. To serve your own
    /// metrics, pass a prometheus_metrics.
    client_options connection = {};
    /// For the manager. Namespaces of the command line replace its namespaces.
    manager_options managing = {};
    /** Adds checks of the operator's own to those that are served, after the set-up. The handle may be kept, to add and remove checks
        later. A failed check makes the program unready, or is a reason to restart it: see health_checks.

            o.checks = [](manager& m, const health_checks& checks) { checks.add_ready("database", is_reachable).value(); }; */
    callback<void(manager&, const health_checks&)> checks = {};
    /// Adds flags of the operator's own: `[&](CLI::App& app) { app.add_option("--workers", workers, "..."); }`, with CLI11. Each has
    /// a variable of the environment: that of the program's name, as CONFIG_RELOADER_WORKERS, unless it names one.
    callback<void(CLI::App&)> flags = {};
};

} // namespace kubecoro
