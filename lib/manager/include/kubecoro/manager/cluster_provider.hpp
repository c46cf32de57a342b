#pragma once

#include <kubecoro/base/result.hpp>
#include <kubecoro/client/client.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace kubecoro {

class manager;
namespace detail {
class cluster_set;
class manual_offers;
} // namespace detail

/// A cluster that a provider offers to a manager.
struct cluster_offer
{
    /// Identifies the cluster, in logs as well: 1 to 253 printable characters.
    std::string name = {};
    /// Changes with the address or the credentials: another revision makes the cluster leave and join again, the same one
    /// changes nothing.
    std::string revision = {};
    /** Makes the client, when the cluster joins and after each failure to; its executor and options are to be passed on. May
        be called on any thread, also after the cluster was withdrawn; must not block. */
    std::function<result<client>(boost::asio::any_io_executor, client_options)> connect = {};
};

/// Receives the clusters that a provider knows. A cheap handle, thread safe; it may outlive the manager, and then does nothing.
class cluster_sink
{
public:
    /// Used by the manager.
    explicit cluster_sink(std::weak_ptr<detail::cluster_set> set) : set_(std::move(set)) {}
    /// The cluster exists. Offers without a name that is allowed are logged and dropped.
    void offer(cluster_offer cluster) const;
    /// The cluster no longer exists. Its work ends in order.
    void withdraw(std::string_view name) const;

private:
    std::weak_ptr<detail::cluster_set> set_;
};

/** Knows which clusters there are: an interface for manager::clusters(). The first one is kubeconfig_secrets; a program that
    has its own registry implements this, or uses manual_clusters. */
class cluster_provider
{
public:
    virtual ~cluster_provider() = default;
    /// Called once, by manager::clusters(): the place to declare what it reads and which rights it needs.
    virtual void attach(manager& home) = 0;
    /** Tells the sink which clusters there are, and every change, until it is cancelled at the stop. Runs when the manager's
        informers have synced, in every replica. A failure ends the manager. */
    [[nodiscard]] virtual boost::asio::awaitable<result<>> run(cluster_sink sink) = 0;
};

/** Clusters that the program adds and removes itself. Thread safe.

        auto fleet = std::make_shared<kubecoro::manual_clusters>();
        m.clusters(fleet, [](kubecoro::manager& cluster) { ... });
        fleet->add("eu", client_of_eu); */
class manual_clusters final : public cluster_provider
{
public:
    manual_clusters();
    ~manual_clusters() override;
    manual_clusters(const manual_clusters&) = delete;
    manual_clusters& operator=(const manual_clusters&) = delete;

    /// Offers a cluster; one that is offered already changes to this client.
    void add(std::string name, client connection);
    /// The same with a name, revision and connection of one's own.
    void add(cluster_offer cluster);
    /// Withdraws a cluster.
    void remove(std::string_view name);

    void attach(manager& home) override;
    [[nodiscard]] boost::asio::awaitable<result<>> run(cluster_sink sink) override;

private:
    std::shared_ptr<detail::manual_offers> offers_;
};

} // namespace kubecoro
