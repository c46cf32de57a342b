// An event handler that tracks objects from its notifications and reports inconsistencies.
#pragma once

#include "cluster.hpp"

#include <kubecoro/base/latch.hpp>
#include <kubecoro/cache/shared_informer.hpp>

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace kubecoro::e2e {

/// Numbers of notifications that a witness received, by kind.
struct heard
{
    std::size_t initial = 0;
    std::size_t added = 0;
    std::size_t updated = 0;
    std::size_t deleted = 0;
    /// Deletions with final_state_unknown.
    std::size_t unknown = 0;
};

/** Checks the sequence of notifications of every object: added once, updated from the last notified state to a newer
    version of the same object, deleted once. Thread safe. Must outlive the informer's factory. */
class witness
{
public:
    explicit witness(cluster& c) : cluster_(&c) {}
    witness(const witness&) = delete;
    witness& operator=(const witness&) = delete;

    /// Return handlers with plain functions and with coroutines.
    [[nodiscard]] event_handler<object> plain();
    [[nodiscard]] event_handler<object> coroutines();
    /// Returns a handler whose coroutines wait until the latch is settled.
    [[nodiscard]] event_handler<object> asleep(latch until);
    /// Pulls notifications until the subscription ends.
    [[nodiscard]] boost::asio::awaitable<result<>> pull(subscription<object> events);

    /// The objects, as derived from the notifications.
    [[nodiscard]] picture believes() const;
    [[nodiscard]] heard counts() const;
    /// The first inconsistency; empty when there is none.
    [[nodiscard]] std::string complaint() const;

private:
    void hear(const added<object>& e);
    void hear(const updated<object>& e);
    void hear(const deleted<object>& e);
    boost::asio::awaitable<void> hear_slowly(notification<object> n);
    boost::asio::awaitable<result<>> hear_after(latch until, notification<object> n);
    void complain(std::string_view what, const object& o);

    cluster* cluster_;
    mutable std::mutex mutex_;
    picture picture_;
    heard counts_;
    std::string complaint_;
};

/// Reads the server and compares an informer's store and its witnesses with it. @return the first difference; empty
/// when there is none.
[[nodiscard]] std::string gap(cluster& c, const shared_informer<object>& informer,
                              const std::vector<const witness*>& witnesses,
                              const std::vector<std::string>& namespaces = {});

} // namespace kubecoro::e2e
