// Makes events of typed objects from those of untyped ones.
#pragma once

#include <kubecoro/base/result.hpp>
#include <kubecoro/cache/notification.hpp>

#include <boost/asio/awaitable.hpp>

#include <concepts>
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

/// The event of untyped objects that an event is made from, and how. Without a kind they are the same.
template<class Event>
struct typed_event
{
    using untyped = Event;
    static const Event& make(const Event& e) noexcept { return e; }
};

template<class T, template<class> class Event>
    requires(!std::same_as<T, object>)
struct typed_event<Event<T>>
{
    using untyped = Event<object>;
    static Event<T> make(const untyped& e) { return typed<T>(e); }
};

template<class T>
    requires(!std::same_as<T, object>)
struct typed_event<notification<T>>
{
    using untyped = notification<object>;
    static notification<T> make(const untyped& e) { return typed<T>(e); }
};

/// Completes as the operation does.
template<class T>
[[nodiscard]] boost::asio::awaitable<result<notification<T>>>
typed_event_of(boost::asio::awaitable<result<notification<object>>> operation)
{
    auto n = co_await std::move(operation);
    if (!n) co_return n.error();
    co_return typed<T>(std::move(*n));
}

} // namespace kubecoro::detail
