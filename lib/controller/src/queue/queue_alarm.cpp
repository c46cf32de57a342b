#include "queue/queue_alarm.hpp"

#include <kubecoro/base/catch_failure.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include <chrono>
#include <exception>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

/// Pause after a failure, for lack of memory.
constexpr auto after_a_failure = std::chrono::milliseconds{100};

} // namespace

queue_alarm::queue_alarm(asio::any_io_executor executor, std::shared_ptr<time_source> time, logger log, action fire)
    : executor_(executor), time_(std::move(time)), log_(std::move(log)), fire_(std::move(fire)), tasks_(executor, log_)
{
}

void queue_alarm::expect(time_point when)
{
    doing interrupted = doing::firing;
    std::optional<asio::any_io_executor> strand;
    {
        std::lock_guard lock(mutex_);
        if (next_ && *next_ <= when) return;
        next_ = when;
        // In every other state run() reads next_ before it waits again.
        interrupted = std::exchange(now_, doing::firing);
        if (interrupted == doing::timing) strand = strand_;
    }
    try {
        if (interrupted == doing::nothing)
            tasks_.spawn("workqueue timer", make_kept_strand(executor_).get(), run(*this));
        if (interrupted == doing::idling) wake_.notify();
        if (strand)
            asio::post(*strand, [self = shared_from_this()] {
                if (self->timer_) self->timer_->cancel();
            });
    } catch (...) { // no memory: the next call tries again
        std::lock_guard lock(mutex_);
        if (now_ == doing::firing) now_ = interrupted;
        next_.reset();
        throw;
    }
}

std::optional<time_point> queue_alarm::fire()
{
    {
        std::lock_guard lock(mutex_);
        now_ = doing::firing;
        if (next_ && time_->now() < *next_) {
            now_ = doing::timing;
            return next_;
        }
        next_.reset();
    }
    const auto next = fire_();
    std::lock_guard lock(mutex_);
    if (next && (!next_ || *next < *next_)) next_ = next;
    now_ = next_ ? doing::timing : doing::idling;
    return next_;
}

asio::awaitable<result<>> queue_alarm::run(queue_alarm& self)
{
    for (;;) {
        // Not catch_failure(): there may be no memory for its coroutine.
        std::exception_ptr thrown;
        try {
            auto firing = fire_on_time(self);
            co_await std::move(firing);
        } catch (...) {
            thrown = std::current_exception();
        }
        const auto why = to_failure(std::move(thrown));
        if (why == cond::cancelled) co_return why;
        self.log_.error("the timer of a workqueue failed and continues", {{"failure", why.describe()}});
        try {
            auto pause = sleep_for(*self.time_, after_a_failure);
            co_await std::move(pause);
        } catch (...) { // no memory to pause, or cancelled: the next attempt shows it
        }
    }
}

/// An exception ends it.
asio::awaitable<result<>> queue_alarm::fire_on_time(queue_alarm& self)
{
    struct presence
    {
        queue_alarm& of;
        std::unique_ptr<timer> alarm;
        presence(queue_alarm& a, const asio::any_io_executor& executor) : of(a), alarm(a.time_->make_timer(executor))
        {
            of.timer_ = alarm.get();
            std::lock_guard lock(of.mutex_);
            of.strand_ = executor;
        }
        ~presence()
        {
            of.timer_ = nullptr;
            std::lock_guard lock(of.mutex_);
            of.strand_.reset();
            of.now_ = doing::firing; // expect() has nothing to wake any more
        }
    };
    const auto executor = co_await asio::this_coro::executor;
    const presence here(self, executor);
    for (;;) {
        // An interrupted wait means an earlier due time or the end, and the end throws at the next co_await.
        if (const auto next = self.fire()) {
            here.alarm->expires_at(*next);
            (void)co_await here.alarm->wait();
        } else {
            (void)co_await self.wake_.wait();
        }
    }
}

} // namespace kubecoro::detail
