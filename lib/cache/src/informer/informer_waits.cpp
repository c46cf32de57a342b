// Waits for the state of an object or for an event: the implementation of wait_for() and wait_for_any().

#include "informer/informer_engine.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/cache/shared_informer.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro {

using namespace detail;

namespace {

std::string seconds_text(duration d)
{
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(d).count();
    return ms % 1000 == 0 ? std::to_string(ms / 1000) + " s" : std::to_string(ms) + " ms";
}

/// The failure of a wait that timed out.
failure too_late(const object_key& key, const object_condition& wanted, duration limit,
                 const std::optional<object>& seen)
{
    return failure(cond::timed_out, to_string(key) + " is not " + wanted.name() + " after " + seconds_text(limit) +
                                        ", last seen: " + (seen ? brief_status(*seen) : "nothing, not synced yet"));
}

asio::awaitable<result<object>> wait_for_state(std::shared_ptr<informer_engine> engine, object_key key,
                                               object_condition wanted, duration limit)
{
    const auto waiter = std::make_shared<object_waiter>(key);
    engine->admit_waiter(waiter, limit);
    std::optional<object> seen;
    for (;;) {
        const auto states = co_await object_waiter::next(waiter);
        if (!states && states.error() == cond::timed_out) co_return too_late(key, wanted, limit, seen);
        if (!states) co_return states.error();
        for (const auto& o : *states) {
            const auto met = wanted(o);
            if (!met) co_return met.error().because("waiting for " + to_string(key) + " to be " + wanted.name());
            if (*met) co_return o;
            seen = o;
        }
    }
}

result<bool> ask(const std::function<result<bool>(const notification<object>&)>& wanted, const notification<object>& n)
{
    try {
        return wanted(n);
    } catch (...) {
        return to_failure(std::current_exception());
    }
}

asio::awaitable<result<notification<object>>>
wait_for_event(std::shared_ptr<informer_engine> engine, std::function<result<bool>(const notification<object>&)> wanted,
               duration limit, handler_options options)
{
    const auto listener = engine->add_subscription(std::move(options));
    subscription<object> events(listener);
    if (limit != duration::zero())
        engine->end_after(limit, listener, [l = listener.get(), limit] {
            l->end(failure(cond::timed_out, "no such event within " + seconds_text(limit)));
        });
    for (;;) {
        const auto batch = co_await events.pop();
        if (!batch) co_return events.end_reason().error();
        for (const auto& n : *batch) {
            KUBECORO_TRY(const auto met, ask(wanted, n));
            if (met) co_return n;
        }
    }
}

} // namespace

asio::awaitable<result<object>> shared_informer<object>::wait_for(object_key key, object_condition wanted,
                                                                  saturating_duration timeout) const
{
    return wait_for_state(engine_, std::move(key), std::move(wanted), timeout);
}

asio::awaitable<result<notification<object>>>
shared_informer<object>::wait_for_any(std::function<result<bool>(const notification<object>&)> wanted,
                                      saturating_duration timeout, handler_options options) const
{
    return wait_for_event(engine_, std::move(wanted), timeout, std::move(options));
}

} // namespace kubecoro
