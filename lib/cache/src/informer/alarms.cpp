#include "informer/alarms.hpp"

#include <kubecoro/base/try.hpp>

#include <boost/asio/this_coro.hpp>

#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {

void alarms::set(time_point when, std::weak_ptr<void> whose, std::function<void()> call)
{
    if (pace_.due(set_.size())) {
        std::erase_if(set_, [](const auto& each) { return each.second.whose.expired(); });
        pace_.swept(set_.size());
    }
    const bool first = set_.empty() || when < set_.begin()->first;
    set_.emplace(when, alarm{std::move(whose), std::move(call)});
    if (!first) return;
    wake_.notify();
    if (timer_) timer_->cancel();
}

void alarms::ring()
{
    while (!set_.empty() && set_.begin()->first <= time_->now()) {
        const alarm due = std::move(set_.extract(set_.begin()).mapped());
        if (const auto alive = due.whose.lock()) due.call();
    }
}

asio::awaitable<result<>> alarms::run()
{
    const auto executor = co_await asio::this_coro::executor;
    const auto sleeper = time_->make_timer(executor);
    const struct presence
    {
        timer*& place;
        ~presence() { place = nullptr; }
    } here{timer_};
    timer_ = sleeper.get();
    for (;;) {
        ring();
        if (set_.empty()) {
            KUBECORO_TRY(co_await wake_.wait());
            continue;
        }
        sleeper->expires_at(set_.begin()->first);
        // wait() returns early when an earlier alarm is set. A cancellation of this coroutine shows at its next
        // co_await.
        static_cast<void>(co_await sleeper->wait());
    }
}

} // namespace kubecoro::detail
