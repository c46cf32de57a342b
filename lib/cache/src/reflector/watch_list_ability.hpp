#pragma once

#include <kubecoro/api/list_watch_source.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/cache/reflector_policy.hpp>

#include <atomic>

namespace kubecoro::detail {

/// Whether streamed lists are to be tried at all: possible for the source, and not dearer than the policy allows.
[[nodiscard]] inline bool may_stream_lists(const list_watch_source& source, const reflector_policy& policy) noexcept
{
    return policy.watch_list && source.streams_lists() && (source.streams_cheaply() || policy.watch_list_json);
}

/** Records whether a server streams the lists of one resource: assumed until it has shown otherwise.

    Shared by the reflectors of that resource. A refusal holds for a limited time, so that an upgraded server is
    detected. Thread safe. */
class watch_list_ability
{
public:
    [[nodiscard]] bool worth_trying(time_point now) const noexcept
    {
        return now.time_since_epoch().count() >= refused_until_.load(std::memory_order_relaxed);
    }
    void refused(time_point until) noexcept
    {
        refused_until_.store(until.time_since_epoch().count(), std::memory_order_relaxed);
    }

private:
    std::atomic<time_point::rep> refused_until_{time_point::min().time_since_epoch().count()};
};

} // namespace kubecoro::detail
