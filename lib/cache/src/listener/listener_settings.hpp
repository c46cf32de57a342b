#pragma once
// Converts the options of users to the settings of a listener.

#include "listener/processor_listener.hpp"

#include <kubecoro/cache/subscription.hpp>

#include <algorithm>
#include <utility>

namespace kubecoro::detail {

/// @param executor  The strand the handler runs on.
[[nodiscard]] inline processor_listener::settings settings_of(handler_options o, kept_executor executor,
                                                              std::shared_ptr<time_source> time)
{
    processor_listener::settings s;
    s.name = std::move(o.name);
    s.policy = o.policy;
    s.max_pending = o.max_pending;
    // With latest_per_key, events of a larger batch would become outdated while its first events are handled.
    if (o.policy == coalesce::latest_per_key) s.max_batch = 1;
    s.concurrency = std::max<std::size_t>(1, o.concurrency);
    s.filter = std::move(o.filter);
    s.slow_after = o.slow_after;
    s.executor = std::move(executor);
    s.time = std::move(time);
    return s;
}

[[nodiscard]] inline processor_listener::settings settings_of(subscription_options o, std::shared_ptr<time_source> time)
{
    processor_listener::settings s;
    s.name = std::move(o.name);
    s.policy = o.policy;
    s.max_pending = o.max_pending;
    s.max_batch = std::max<std::size_t>(1, o.max_batch);
    s.initial = o.initial;
    s.filter = std::move(o.filter);
    s.drains = true;
    s.time = std::move(time);
    return s;
}

} // namespace kubecoro::detail
