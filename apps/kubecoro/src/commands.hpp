// The embedded server and the demo: their flags, and how they run.
#pragma once

#include "program.hpp"

#include <kubecoro/base/log.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro::tool {

struct serve_command
{
    std::string listen = "127.0.0.1:0";
    std::string kubeconfig_out = {};
    /// Kubeconfig of a user who may only read config maps.
    std::string limited_kubeconfig_out = {};
    /// Files and directories of manifests.
    std::vector<std::string> load = {};
    /// Changes kept for watches; empty = the server's default.
    std::optional<std::size_t> history = {};
    /// Namespaces begin without the service account `default` and the config map `kube-root-ca.crt`.
    bool empty_namespaces = false;
    /// Pods run, deployments roll and jobs complete.
    bool live = false;
    /// Directory for the state that survives a restart; empty = nothing is kept.
    std::string data = {};
    logger log = {};
};

struct demo_command
{
    bool keep = false;
    /// Run read-only against this cluster instead of the embedded one.
    std::string kubeconfig = {};
    /// Length of the workload or, with a kubeconfig, of the whole run (0 = until a signal).
    std::optional<std::chrono::seconds> length = {};
    std::uint64_t seed = 1;
    bool colour = true;
    /// Manifests to load instead of the embedded ones.
    std::string manifests = {};
    logger log = {};
};

[[nodiscard]] boost::asio::awaitable<result<>> serve(serve_command options, program_context context);
[[nodiscard]] boost::asio::awaitable<result<>> demo(demo_command options, program_context context);

} // namespace kubecoro::tool
