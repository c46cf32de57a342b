#pragma once

#include "listener/processor_listener.hpp"
#include "store/departures.hpp"

#include <kubecoro/base/detail/context_bound.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace kubecoro::detail {

/** The listeners of an informer, from admission to their end. Before the informer's start they wait here.

    Thread safe. Listeners are started through two functions of the owner, which must not block; they are called under
    the lock, so that a stop cannot come in between. */
class listener_registry
{
public:
    struct admission
    {
        processor_listener::settings settings;
        /// Empty = a subscription, which reads by itself.
        std::optional<event_handler<object>> handler = {};
        kept_executor executor = {};
        /// 0 = none.
        duration resync{0};
    };
    struct starter
    {
        std::function<void(const std::shared_ptr<processor_listener>&, event_handler<object>, const kept_executor&)>
            run;
        std::function<void(const std::shared_ptr<processor_listener>&, duration)> resync;
    };

    listener_registry(logger log, starter start) : log_(std::move(log)), starter_(std::move(start)) {}

    /// Creates a listener; after refuse(), one that has ended.
    [[nodiscard]] std::shared_ptr<processor_listener> admit(admission a);
    /// Runs the waiting listeners; later ones run at once.
    void start();
    /// Stops admitting and starting listeners. @param why  The failure that has ended the informer; empty = a stop.
    void refuse(std::optional<failure> why = std::nullopt);
    /// Ends the subscriptions: their readers get the waiting events, then the end.
    void end_subscriptions();
    /// Ends all listeners: the informer has stopped.
    void end();
    [[nodiscard]] std::vector<std::shared_ptr<processor_listener>> all() const;
    /// Counts the listeners that have ended.
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

    /// Moves the listeners that have ended since the last call to `ended`, for the caller to destroy without the lock.
    void sweep(std::vector<waiting>& ended);
    void begin(waiting w);
    void note_end(const std::vector<std::shared_ptr<processor_listener>>& of) const;

    const logger log_;
    const starter starter_;
    mutable std::mutex mutex_;
    phase phase_ = phase::waiting;
    std::optional<failure> why_;
    std::uint64_t next_id_ = 1;
    std::vector<std::shared_ptr<processor_listener>> listeners_;
    const departures left_;
    std::uint64_t swept_ = 0;
    std::vector<waiting> waiting_;
};

} // namespace kubecoro::detail
