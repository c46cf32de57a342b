#pragma once
// Converts the options of users to the settings of a listener.

#include "listener/processor_listener.hpp"

#include <kubecoro/cache/event_handler.hpp>

#include <algorithm>
#include <utility>

namespace kubecoro::detail {

/// Changes that one pop() of a subscription returns.
inline constexpr std::size_t subscription_batch = 256;

/// The settings of a subscription.
[[nodiscard]] inline processor_listener::settings settings_of(handler_options o, std::shared_ptr<time_source> time)
{
    processor_listener::settings s;
    s.name = std::move(o.name);
    s.policy = o.policy;
    s.max_pending = o.max_pending;
    s.max_batch = subscription_batch;
    s.initial = o.initial;
    s.filter = std::move(o.filter);
    s.drains = true;
    s.time = std::move(time);
    return s;
}

/// The settings of a handler. @param executor  The strand the handler runs on.
[[nodiscard]] inline processor_listener::settings settings_of(const event_handler<object>& handler, handler_options o,
                                                              kept_executor executor, std::shared_ptr<time_source> time)
{
    auto s = settings_of(std::move(o), std::move(time));
    // With latest_per_key, events of a larger batch would become outdated while its first events are handled.
    s.max_batch = s.policy == coalesce::latest_per_key ? 1 : processor_listener::settings{}.max_batch;
    s.drains = false;
    s.concurrency = std::max<std::size_t>(1, handler.concurrency);
    s.slow_after = handler.slow_after;
    s.executor = std::move(executor);
    return s;
}

} // namespace kubecoro::detail
