#include "alarms.hpp"

#include <algorithm>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro {

alarms::alarms(std::shared_ptr<clock> time, const asio::any_io_executor& strand)
    : time_(std::move(time)), timer_(time_->make_timer(strand))
{
}

void alarms::set(time_point when, std::weak_ptr<void> whose, std::function<void()> call)
{
    if (set_.size() >= sweep_at_) {
        std::erase_if(set_, [](const auto& each) { return each.second.whose.expired(); });
        sweep_at_ = std::max<std::size_t>(64, 2 * set_.size());
    }
    const bool first = set_.empty() || when < set_.begin()->first;
    set_.emplace(when, alarm{std::move(whose), std::move(call)});
    if (!first) return;
    wake_.notify();
    timer_->cancel();
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
    for (;;) {
        ring();
        if (set_.empty()) {
            auto waiting = wake_.wait();
            const auto woken = co_await std::move(waiting);
            if (!woken) co_return woken;
            continue;
        }
        timer_->expires_at(set_.begin()->first);
        // Woken early when an earlier alarm is set; when this coroutine is cancelled, its next co_await says so.
        auto sleeping = timer_->wait();
        static_cast<void>(co_await std::move(sleeping));
    }
}

} // namespace kubecoro
