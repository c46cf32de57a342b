#pragma once

#include "controller/controller_core.hpp"
#include "controller/event_mapper.hpp"

#include <kubecoro/base/async_event.hpp>
#include <kubecoro/cache/shared_informer.hpp>
#include <kubecoro/controller/reconciler.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace kubecoro::detail {

/** What a controller keeps for one source. Its events are taken by one coroutine; the rest is thread safe. */
class controller_source
{
public:
    controller_source(shared_informer i, enqueue map, source_options o)
        : informer(std::move(i)), mapper(std::move(map), std::move(o.filter)), options(std::move(o))
    {
    }

    /// Subscribes. @return false when it was closed before that.
    /// @param presence  Held by whatever runs for the source.
    [[nodiscard]] bool open(const std::shared_ptr<void>& presence)
    {
        std::lock_guard lock(mutex_);
        if (leaving.settled()) return false;
        subscription_options o;
        o.resync = options.resync;
        o.name = options.name;
        events = informer.subscribe(std::move(o));
        opened_ = true;
        presence_ = presence;
        return true;
    }
    /// No more events. @return whether somebody has to report its end, because it was never open.
    [[nodiscard]] bool close()
    {
        std::lock_guard lock(mutex_);
        if (!leaving.settle({})) return false;
        if (opened_) events.close();
        return !opened_;
    }

    /// Null when nothing runs for it: before it was opened, and when it is over.
    [[nodiscard]] std::shared_ptr<void> presence() const
    {
        std::lock_guard lock(mutex_);
        return presence_.lock();
    }

    /// Whether this is where a write would be seen.
    [[nodiscard]] bool covers(const reconcile_context::write& w) const noexcept
    {
        return w.group == informer.resource().group && w.kind == informer.resource().kind;
    }
    shared_informer informer;
    /// Of the coroutine that takes the events.
    event_mapper mapper;
    source_options options;
    controller_core::source_id id = 0;
    /// After open() it stays; popped by one coroutine.
    subscription events;
    /// Settled when it is to end.
    latch leaving;
    /// Settled when nothing of it runs any more.
    latch over;
    std::atomic<std::uint64_t> taken{0};
    std::atomic<std::uint64_t> failed{0};
    std::atomic<bool> synced{false};

private:
    mutable std::mutex mutex_;
    bool opened_ = false;
    std::weak_ptr<void> presence_;
};

} // namespace kubecoro::detail
