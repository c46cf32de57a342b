// A handler that believes what it is told and complains when that does not add up.
#pragma once

#include "cluster.hpp"

#include <kubecoro/base/async_event.hpp>
#include <kubecoro/cache/shared_informer.hpp>

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace kubecoro::e2e {

/// What a witness has heard, by kind.
struct heard
{
    std::size_t initial = 0;
    std::size_t added = 0;
    std::size_t updated = 0;
    std::size_t deleted = 0;
    /// Of the deleted: with final_state_unknown.
    std::size_t unknown = 0;
};

/** Checks the chain of every object: added once, updated from what it was told last to a newer version of the same
    object, deleted once. Thread safe. Must outlive the informer's factory. */
class witness
{
public:
    explicit witness(cluster& c) : cluster_(&c) {}
    witness(const witness&) = delete;
    witness& operator=(const witness&) = delete;

    /// As plain functions, or as coroutines.
    [[nodiscard]] event_handler plain();
    [[nodiscard]] event_handler coroutines();
    /// Coroutines that do nothing before the latch is settled.
    [[nodiscard]] event_handler asleep(latch until);
    /// Pulls until the subscription ends.
    [[nodiscard]] boost::asio::awaitable<result<>> pull(subscription events);

    [[nodiscard]] picture believes() const;
    [[nodiscard]] heard counts() const;
    /// The first thing that did not add up; empty when everything did.
    [[nodiscard]] std::string complaint() const;

private:
    void hear(const added& e);
    void hear(const updated& e);
    void hear(const deleted& e);
    boost::asio::awaitable<void> hear_slowly(notification n);
    boost::asio::awaitable<result<>> hear_after(latch until, notification n);
    void complain(std::string_view what, const object& o);

    cluster* cluster_;
    mutable std::mutex mutex_;
    picture picture_;
    heard counts_;
    std::string complaint_;
};

/** What keeps the store of an informer, and each witness of it, from being equal to the server; empty when nothing does.
    Asks the server. */
[[nodiscard]] std::string gap(cluster& c, const shared_informer& informer, const std::vector<const witness*>& witnesses,
                              const std::vector<std::string>& namespaces = {});

} // namespace kubecoro::e2e
