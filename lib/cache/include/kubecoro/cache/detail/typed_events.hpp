// Gives the events of untyped objects to callables that take typed ones.
#pragma once

#include <kubecoro/cache/event_handler.hpp>
#include <kubecoro/cache/notification.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <utility>
#include <variant>

namespace kubecoro::detail {

template<class T>
[[nodiscard]] added<T> typed(added<object> e)
{
    return {object_handle<T>(std::move(e.obj)), e.initial};
}
template<class T>
[[nodiscard]] updated<T> typed(updated<object> e)
{
    return {object_handle<T>(std::move(e.before)), object_handle<T>(std::move(e.after))};
}
template<class T>
[[nodiscard]] deleted<T> typed(deleted<object> e)
{
    return {object_handle<T>(std::move(e.obj)), e.final_state_unknown, e.why};
}
template<class T>
[[nodiscard]] notification<T> typed(notification<object> n)
{
    return std::visit([](auto&& e) -> notification<T> { return typed<T>(std::move(e)); }, std::move(n));
}

/// Keeps the typed event while the coroutine runs. @param f  Lives until then, as handler_slot says.
template<class Event, class R>
[[nodiscard]] boost::asio::awaitable<R> call_with(const std::function<boost::asio::awaitable<R>(const Event&)>& f,
                                                  Event e)
{
    co_return co_await f(e);
}

/// Makes a slot of untyped events of one of typed events.
template<class T, class Untyped, class Typed>
[[nodiscard]] handler_slot<Untyped> untyped_slot(const handler_slot<Typed>& slot)
{
    using typed_slot = handler_slot<Typed>;
    if (const auto* f = std::get_if<typename typed_slot::function>(&slot.get()))
        return [f = *f](const Untyped& e) { f(typed<T>(e)); };
    if (const auto* f = std::get_if<typename typed_slot::coroutine>(&slot.get()))
        return [f = *f](const Untyped& e) { return call_with<Typed>(f, typed<T>(e)); };
    if (const auto* f = std::get_if<typename typed_slot::failing_coroutine>(&slot.get()))
        return [f = *f](const Untyped& e) { return call_with<Typed>(f, typed<T>(e)); };
    return {};
}

} // namespace kubecoro::detail
