#pragma once

#include "listener/processor_listener.hpp"
#include "store/departures.hpp"

#include <kubecoro/base/context_bound.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace kubecoro::detail {

/** Who listens to an informer, from admission to the end: before the start they wait here, then they run.

    Thread safe. What runs is started by the owner, through two functions that must not wait; they are called under the
    lock, so that a stop cannot come between. */
class listener_registry
{
public:
    struct admission
    {
        processor_listener::settings settings;
        /// Nothing = a subscription, which reads by itself.
        std::optional<event_handler> handler = {};
        kept_executor executor = {};
        /// 0 = none.
        duration resync{0};
    };
    struct starter
    {
        std::function<void(const std::shared_ptr<processor_listener>&, event_handler, const kept_executor&)> run;
        std::function<void(const std::shared_ptr<processor_listener>&, duration)> resync;
    };

    listener_registry(logger log, starter start) : log_(std::move(log)), starter_(std::move(start)) {}

    /// The new listener; after refuse() one that is over.
    [[nodiscard]] std::shared_ptr<processor_listener> admit(admission a);
    /// Runs those that wait, and whoever comes from now on at once.
    void start();
    /// Admits and starts no listener any more.
    void refuse();
    /// Ends the subscriptions: their readers get what waits, then the end.
    void end_subscriptions();
    /// Tells all that the informer has stopped.
    void end();
    [[nodiscard]] std::vector<std::shared_ptr<processor_listener>> all() const;
    /// Counts those of them that have ended.
    [[nodiscard]] const departures& left() const noexcept { return left_; }

private:
    struct waiting
    {
        std::shared_ptr<processor_listener> listener;
        admission wish;
    };
    enum class phase
    {
        waiting,
        running,
        refusing
    };

    /// Hands over those that have ended since the last call, for the caller to destroy without the lock.
    void sweep(std::vector<waiting>& ended);
    void begin(waiting w);

    const logger log_;
    const starter starter_;
    mutable std::mutex mutex_;
    phase phase_ = phase::waiting;
    std::uint64_t next_id_ = 1;
    std::vector<std::shared_ptr<processor_listener>> listeners_;
    const departures left_;
    std::uint64_t swept_ = 0;
    std::vector<waiting> waiting_;
};

} // namespace kubecoro::detail
