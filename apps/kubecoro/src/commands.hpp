// The sub-commands and their flags.
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
    /// Directory for the state that survives a restart; empty = nothing is kept.
    std::string data = {};
    logger log = {};
};

struct watch_command
{
    /// As typed by the user; resolved by discovery.
    std::string resource = {};
    std::vector<std::string> namespaces = {};
    bool all_namespaces = false;
    std::string label_selector = {};
    std::string field_selector = {};
    std::string kubeconfig = {};
    std::string context = {};
    bool json = false;
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
[[nodiscard]] boost::asio::awaitable<result<>> watch(watch_command options, program_context context);
[[nodiscard]] boost::asio::awaitable<result<>> demo(demo_command options, program_context context);

} // namespace kubecoro::tool
