#include "listener/processor_listener.hpp"

#include <kubecoro/cache/event_handler.hpp>

#include <boost/asio/awaitable.hpp>

namespace asio = boost::asio;

namespace kubecoro {

using detail::of_nothing;

asio::awaitable<result<>> registration::has_synced() const
{
    if (!listener_) return of_nothing("an empty registration was awaited");
    return listener_->gate().wait();
}

bool registration::synced() const noexcept { return listener_ && listener_->gate().is_open(); }

void registration::remove() const
{
    if (listener_) listener_->remove();
}

asio::awaitable<result<>> registration::removed() const
{
    if (!listener_) return of_nothing("an empty registration was awaited");
    return listener_->removed();
}

asio::awaitable<result<>> registration::ended() const
{
    if (!listener_) return of_nothing("an empty registration was awaited");
    return listener_->ended();
}

handler_stats registration::stats() const { return listener_ ? listener_->stats() : handler_stats{}; }

} // namespace kubecoro
