#include "processor_listener.hpp"

#include <kubecoro/cache/subscription.hpp>

#include <utility>

namespace asio = boost::asio;

namespace kubecoro {

subscription::~subscription() { close(); }

subscription& subscription::operator=(subscription&& other) noexcept
{
    close();
    listener_ = std::move(other.listener_);
    return *this;
}

asio::awaitable<std::optional<std::vector<notification>>> subscription::pop() { return listener_->pop(); }

result<> subscription::ended() const { return listener_->ended(); }

asio::awaitable<result<>> subscription::has_synced() const { return listener_->gate().wait(); }

bool subscription::synced() const noexcept { return listener_ && listener_->initial_popped(); }

void subscription::close()
{
    if (listener_) listener_->remove();
}

handler_stats subscription::stats() const { return listener_ ? listener_->stats() : handler_stats{}; }

} // namespace kubecoro
