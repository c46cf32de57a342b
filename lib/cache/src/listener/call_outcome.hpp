#pragma once

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/cache/event_handler.hpp>

#include <exception>

namespace kubecoro::detail {

/// Result of calling a plain function, or the coroutine to await.
struct call_outcome
{
    result<> done = {};
    handler_call begun = {};
};

template<class Event>
call_outcome call(const handler_slot<Event>& slot, const Event& event)
{
    if (!slot.get()) return {};
    try {
        return {.begun = slot.get()(event)};
    } catch (...) {
        return {.done = to_failure(std::current_exception())};
    }
}

} // namespace kubecoro::detail
