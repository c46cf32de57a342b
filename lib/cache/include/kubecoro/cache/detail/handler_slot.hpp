#pragma once

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/cache/detail/typed_events.hpp>

#include <boost/asio/awaitable.hpp>

#include <concepts>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace kubecoro::detail {

/// A call of a handler that has begun. A plain function has ended too and leaves both empty.
struct handler_call
{
    /// Keeps the event alive that was made for the coroutine. Declared first, so that it outlives it.
    std::shared_ptr<const void> event = {};
    /// The coroutine, which does not throw.
    boost::asio::awaitable<result<>> rest = {};
};

/// One callback of an event_handler: a plain function, a coroutine, or empty.
template<class Event>
class handler_slot
{
public:
    /// The event with objects of no kind that `Event` is made from.
    using untyped_event = typename typed_event<Event>::untyped;
    /// The callable as the library calls it: of one type for all kinds, so that a kind costs little to compile.
    using function = std::function<handler_call(const untyped_event&)>;

    handler_slot() = default;

    /// Takes a callable that accepts the event.
    template<class F>
        requires(!std::same_as<std::remove_cvref_t<F>, handler_slot>)
    handler_slot(F&& f)
    {
        constexpr bool takes_event = std::invocable<std::decay_t<F>&, const Event&>;
        static_assert(takes_event, "a handler takes its event: on_add added, on_update updated, on_delete deleted");
        if constexpr (takes_event) call_ = caller<std::decay_t<F>>{std::forward<F>(f)};
    }
    /// Takes what another slot holds.
    explicit handler_slot(function call) noexcept : call_(std::move(call)) {}

    /// The callable; empty if there is none.
    [[nodiscard]] const function& get() const noexcept { return call_; }

private:
    template<class F>
    struct caller
    {
        using returned = std::invoke_result_t<F&, const Event&>;
        static constexpr bool is_coroutine = std::same_as<returned, boost::asio::awaitable<void>> ||
                                             std::same_as<returned, boost::asio::awaitable<result<>>>;
        static_assert(is_coroutine || std::is_void_v<returned>,
                      "a handler returns void, awaitable<void> or awaitable<result<>>");

        F f;

        handler_call operator()(const untyped_event& e)
        {
            using made_event = typed_event<Event>;
            if constexpr (!is_coroutine) {
                f(made_event::make(e));
                return {};
            } else if constexpr (std::same_as<Event, untyped_event>) {
                return {.rest = catch_failure(f(e))};
            } else {
                const auto event = std::make_shared<const Event>(made_event::make(e));
                return {.event = event, .rest = catch_failure(f(*event))};
            }
        }
    };

    function call_;
};

} // namespace kubecoro::detail
