#include "listener/call_outcome.hpp"
#include "listener/processor_listener.hpp"

#include <kubecoro/base/detail/own_chain.hpp>
#include <kubecoro/cache/subscription.hpp>

#include <utility>

namespace asio = boost::asio;

namespace kubecoro {
using namespace detail;

subscription<object>::~subscription() { close(); }

subscription<object>& subscription<object>::operator=(subscription<object>&& other) noexcept
{
    close();
    listener_ = std::move(other.listener_);
    return *this;
}

namespace {

constexpr auto empty_handle = "an empty subscription was awaited";

asio::awaitable<std::optional<std::vector<notification<object>>>> no_events() { co_return std::nullopt; }

asio::awaitable<result<>> read_all(own_chain chain, std::shared_ptr<processor_listener> from,
                                   handler_slot<notification<object>> f)
{
    for (;;) {
        // One event at a time: those after a failure must remain for the next reader.
        const auto one = co_await from->pop(1);
        if (!one) co_return from->last_pop();
        auto outcome = call(f, one->front());
        if (outcome.begun.rest.valid()) {
            outcome.done = co_await std::move(outcome.begun.rest);
            co_await own_filter();
            co_await own_throws();
        }
        if (!outcome.done) co_return outcome.done;
        if (chain.cancelled()) co_return failure(cond::cancelled);
    }
}

} // namespace

asio::awaitable<std::optional<std::vector<notification<object>>>> subscription<object>::pop()
{
    return listener_ ? listener_->pop() : no_events();
}

asio::awaitable<result<>> subscription<object>::for_each(handler_slot<notification<object>> f)
{
    if (!listener_) return of_nothing(empty_handle);
    const own_chain chain;
    return chain.run(read_all(chain, listener_, std::move(f)));
}

result<> subscription<object>::end_reason() const
{
    if (!listener_) return failure(cond::misconfigured, empty_handle);
    return listener_->last_pop();
}

asio::awaitable<result<>> subscription<object>::has_synced() const
{
    return listener_ ? listener_->gate().wait() : of_nothing(empty_handle);
}

bool subscription<object>::synced() const noexcept { return listener_ && listener_->initial_popped(); }

void subscription<object>::close()
{
    if (listener_) listener_->remove();
}

handler_stats subscription<object>::stats() const { return listener_ ? listener_->stats() : handler_stats{}; }

} // namespace kubecoro
