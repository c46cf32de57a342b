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

namespace {

constexpr auto empty_handle = "an empty subscription was awaited";

asio::awaitable<std::optional<std::vector<notification>>> no_events() { co_return std::nullopt; }

} // namespace

asio::awaitable<std::optional<std::vector<notification>>> subscription::pop()
{
    return listener_ ? listener_->pop() : no_events();
}

result<> subscription::ended() const
{
    if (!listener_) return failure(cond::misconfigured, empty_handle);
    return listener_->ended();
}

asio::awaitable<result<>> subscription::has_synced() const
{
    return listener_ ? listener_->gate().wait() : of_nothing(empty_handle);
}

bool subscription::synced() const noexcept { return listener_ && listener_->initial_popped(); }

void subscription::close()
{
    if (listener_) listener_->remove();
}

handler_stats subscription::stats() const { return listener_ ? listener_->stats() : handler_stats{}; }

} // namespace kubecoro
