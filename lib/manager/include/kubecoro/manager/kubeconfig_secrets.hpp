#pragma once

#include <kubecoro/client/kubeconfig.hpp>
#include <kubecoro/manager/cluster_provider.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace kubecoro {

/** Clusters that are registered by Secrets of the manager's own cluster, one kubeconfig each; the Secret's name is the
    cluster's. Label and key are by default those of multicluster-runtime.

        m.clusters(kubecoro::kubeconfig_secrets{.ns = "fleet"}, [](kubecoro::manager& cluster) { ... });

    A Secret that comes, changes or goes makes its cluster join, join again with the new content, or leave. Changes of its
    labels and annotations do nothing.

    The writers of these Secrets are not trusted with this program's rights, see parse_untrusted_kubeconfig(): exec
    plugins and paths of files are refused. */
struct kubeconfig_secrets
{
    /// The namespace. Empty = the one of the manager's client.
    std::string ns = {};
    /// Selects the Secrets.
    std::string labels = "sigs.k8s.io/multicluster-runtime-kubeconfig=true";
    /// The key with the kubeconfig.
    std::string key = "kubeconfig";
    /// The context of each kubeconfig; empty = its current one.
    std::string context = {};
    /// Whether the proxy of the program's environment (HTTPS_PROXY and the like) is used for kubeconfigs without a proxy-url. A
    /// proxy-url always wins. See parse_untrusted_kubeconfig().
    bool environment_proxy = false;
    /// Called with each kubeconfig before it is used: a failure refuses it, and is shown as the cluster's. For servers, proxies or
    /// insecure TLS that the program does not want. It sees what is written: a host name may resolve to any address, also to one of
    /// a loopback or link-local network, so that only a list of allowed hosts, or a network policy, keeps those out. Must not
    /// block; any thread, of one cluster or several at once. Empty = all are accepted.
    std::function<result<>(const cluster_config&)> accept = {};
};

/// The provider of these clusters, for one manager.
[[nodiscard]] std::shared_ptr<cluster_provider> make_provider(kubeconfig_secrets where);

} // namespace kubecoro
