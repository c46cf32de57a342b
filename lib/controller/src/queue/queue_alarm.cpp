#include "queue/queue_alarm.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/wake_signal.hpp>

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

/// The timer and the signal of a run(), on its strand.
struct queue_alarm::presence
{
    queue_alarm& of;
    asio::any_io_executor strand;
    std::unique_ptr<timer> alarm;
    wake_signal wake = {};

    presence(queue_alarm& a, asio::any_io_executor executor)
        : of(a), strand(std::move(executor)), alarm(a.time_->make_timer(strand))
    {
        std::lock_guard lock(of.mutex_);
        of.present_ = this;
    }
    presence(presence&&) = delete;
    presence& operator=(presence&&) = delete;
    ~presence()
    {
        std::lock_guard lock(of.mutex_);
        if (of.present_ != this) return;
        of.present_ = nullptr;
        of.now_ = doing::firing; // expect() has nothing to wake any more
    }
};

/// The end of a run(), also of one that is destroyed: the next expect() starts another.
struct queue_alarm::run_end
{
    queue_alarm& of;
    std::uint64_t number;

    run_end(queue_alarm& a, std::uint64_t n) noexcept : of(a), number(n) {}
    run_end(run_end&&) = delete;
    run_end& operator=(run_end&&) = delete;
    ~run_end()
    {
        std::lock_guard lock(of.mutex_);
        if (of.run_ == number) of.abandon_run();
    }
};

/// Requires mutex_.
void queue_alarm::abandon_run()
{
    ++run_;
    present_ = nullptr;
    now_ = doing::nothing;
    next_.reset();
}

queue_alarm::queue_alarm(asio::any_io_executor executor, std::shared_ptr<time_source> time, logger log, action fire)
    : executor_(executor), time_(std::move(time)), log_(std::move(log)), fire_(std::move(fire)), tasks_(executor, log_)
{
}

void queue_alarm::expect(time_point when)
{
    doing interrupted = doing::firing;
    presence* present = nullptr;
    std::optional<asio::any_io_executor> strand;
    std::optional<wake_signal> wake;
    std::uint64_t run_number = 0;
    {
        std::lock_guard lock(mutex_);
        if (next_ && *next_ <= when) return;
        next_ = when;
        // In every other state run() reads next_ before it waits again.
        interrupted = std::exchange(now_, doing::firing);
        run_number = run_;
        present = present_;
        if (interrupted == doing::timing) strand = present_->strand;
        if (interrupted == doing::idling) wake = present_->wake;
    }
    try {
        if (interrupted == doing::nothing)
            tasks_.spawn("workqueue timer", make_kept_strand(executor_).get(), run(*this, run_number));
        if (wake) wake->notify();
        if (strand)
            asio::post(*strand, [self = shared_from_this(), present] {
                std::lock_guard lock(self->mutex_);
                if (self->present_ == present) present->alarm->cancel();
            });
    } catch (...) { // no memory: the next call tries again
        std::lock_guard lock(mutex_);
        if (run_ != run_number) throw;
        if (now_ == doing::firing) now_ = interrupted;
        next_.reset();
        // Asio destroys a coroutine that it has no memory to resume.
        if (wake) abandon_run();
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

asio::awaitable<result<>> queue_alarm::run(queue_alarm& self, std::uint64_t number)
{
    const run_end end(self, number);
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
    const auto executor = co_await asio::this_coro::executor;
    const presence here(self, executor);
    for (;;) {
        // An interrupted wait means an earlier due time or the end, and the end throws at the next co_await.
        if (const auto next = self.fire()) {
            here.alarm->expires_at(*next);
            (void)co_await here.alarm->wait();
        } else {
            (void)co_await here.wake.wait();
        }
    }
}

} // namespace kubecoro::detail
