#pragma once

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/cache/event_handler.hpp>

#include <exception>
#include <optional>
#include <utility>
#include <variant>

namespace kubecoro::detail {

/// Result of calling a plain function, or the coroutine to await.
struct call_outcome
{
    result<> done;
    std::optional<boost::asio::awaitable<result<>>> rest;
};

template<class Event>
call_outcome call(const handler_slot<Event>& slot, const Event& event)
{
    using slot_type = handler_slot<Event>;
    call_outcome out;
    try {
        const auto& f = slot.get();
        if (const auto* plain = std::get_if<typename slot_type::function>(&f))
            (*plain)(event);
        else if (const auto* coroutine = std::get_if<typename slot_type::coroutine>(&f))
            out.rest = catch_failure((*coroutine)(event));
        else if (const auto* failing = std::get_if<typename slot_type::failing_coroutine>(&f))
            out.rest = catch_failure((*failing)(event));
    } catch (...) {
        out.done = to_failure(std::current_exception());
    }
    return out;
}

} // namespace kubecoro::detail
