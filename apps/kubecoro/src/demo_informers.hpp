// The informers of the demo, with the three ways to receive their events.
#pragma once

#include "demo_feed.hpp"

#include <kubecoro/base/task_group.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/client/client.hpp>

#include <string>
#include <vector>

namespace kubecoro::tool {

/// Result of comparing the stores with the server.
struct comparison
{
    std::size_t compared = 0;
    /// At most a few, for display: "pods web/a: version 12 here, 14 there".
    std::vector<std::string> differences = {};
    std::size_t differing = 0;

    [[nodiscard]] bool equal() const noexcept { return differing == 0; }
};

/** Live copies of a cluster's resources that report changes to the feed.

    Deployments, replica sets, nodes and services use a plain handler function, pods a coroutine handler, config maps
    and custom resources a subscription read by a coroutine. */
class demo_informers
{
public:
    /// @param extra  Custom resources to follow as well.
    demo_informers(client api, feed& show, factory_options how, std::vector<resource_type> extra);

    void start();
    /** Waits until every handler has received the initial objects.

        Resources that the server refuses are shown and left out of the comparison. */
    [[nodiscard]] boost::asio::awaitable<result<>> has_synced();
    [[nodiscard]] boost::asio::awaitable<result<>> stop();

    /** Lists every resource through `api` and compares it with its store, object by object.

        Objects that differ are requested again, one by one, until both sides agree or `limit` has passed: events may
        still be under way, and a busy cluster may never be quiet as a whole. */
    [[nodiscard]] boost::asio::awaitable<result<comparison>> compare(client api, duration limit) const;

    [[nodiscard]] std::vector<informer_stats> stats() const;
    [[nodiscard]] std::uint64_t relists(relist_reason why) const;
    [[nodiscard]] std::uint64_t reconnects() const;
    /// Prints the contents and counters of each informer.
    void print_table() const;

private:
    struct followed
    {
        shared_informer<object> informer;
        /// Null for a subscription.
        registration handler;
        bool refused = false;
    };

    template<class T>
    void follow_by_function();
    template<class T>
    void follow_by_coroutine();
    template<class T>
    void follow_by_subscription(const shared_informer<T>& informer);

    client api_;
    feed& feed_;
    informer_factory factory_;
    task_group tasks_;
    std::vector<followed> all_;
};

} // namespace kubecoro::tool
