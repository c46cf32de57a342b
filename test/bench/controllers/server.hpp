#pragma once

#include "driver/process.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace kubecoro::bench::controllers {

/// `kubecoro serve` over TLS, with config maps in the namespace default and the 30 pods of the node `node-1`.
class api_server
{
public:
    /// Errors: misconfigured, timed_out when it does not begin.
    [[nodiscard]] static result<api_server> start(const std::string& programs, const std::string& work,
                                                  std::uint64_t config_maps, int core);

    [[nodiscard]] const std::string& kubeconfig() const noexcept { return kubeconfig_; }
    [[nodiscard]] std::uint64_t config_maps() const noexcept { return config_maps_; }

private:
    api_server(child_process process, std::string kubeconfig, std::uint64_t config_maps)
        : process_(std::move(process)), kubeconfig_(std::move(kubeconfig)), config_maps_(config_maps)
    {
    }

    child_process process_;
    std::string kubeconfig_;
    std::uint64_t config_maps_;
};

/// The objects as YAML documents.
[[nodiscard]] std::string served_objects(std::uint64_t config_maps);

} // namespace kubecoro::bench::controllers
