#pragma once

#include "controller/controller_core.hpp"
#include "controller/event_mapper.hpp"

#include <kubecoro/base/detail/line_limit.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/cache/shared_informer.hpp>
#include <kubecoro/controller/reconciler.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace kubecoro::detail {

/** State of one source of a controller. One coroutine takes its events; the rest is thread safe. */
class controller_source
{
public:
    controller_source(shared_informer<object> i, enqueue map, source_options o)
        : informer(std::move(i)), mapper(std::move(map), std::move(o.filter)), options(std::move(o))
    {
    }

    /// Subscribes. @return false when it was closed before.
    /// @param presence  Held by everything that runs for the source.
    [[nodiscard]] bool open(const std::shared_ptr<void>& presence)
    {
        std::lock_guard lock(mutex_);
        if (leaving.settled()) return false;
        handler_options o;
        o.resync = options.resync;
        o.name = options.name;
        events = informer.subscribe(std::move(o));
        opened_ = true;
        presence_ = presence;
        return true;
    }
    /// Ends the events. @return whether the caller must report its end, because it was never open.
    [[nodiscard]] bool close()
    {
        std::lock_guard lock(mutex_);
        if (!leaving.settle({})) return false;
        if (opened_) events.close();
        return !opened_;
    }

    /// Null when nothing runs for the source: before it was opened, and after its end.
    [[nodiscard]] std::shared_ptr<void> presence() const
    {
        std::lock_guard lock(mutex_);
        return presence_.lock();
    }

    /// Whether this source would show a write of that kind.
    [[nodiscard]] bool covers(std::string_view group, std::string_view kind) const noexcept
    {
        return group == informer.resource().group && kind == informer.resource().kind;
    }
    shared_informer<object> informer;
    /// Used only by the coroutine that takes the events.
    event_mapper mapper;
    /// Anyone who may write objects may cause failures of its functions. Used as the mapper.
    line_limit failures_shown = {};
    source_options options;
    /// False for one that only shows own writes. Constant after add().
    bool queues_keys = true;
    controller_core::source_id id = 0;
    /// Constant after open(); popped by one coroutine.
    subscription<object> events;
    /// Settled when the source is to end.
    latch leaving;
    /// Settled when nothing of the source runs any more.
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
