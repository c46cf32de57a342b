#include "queue/queue_alarm.hpp"

#include <kubecoro/base/detail/wake_signal.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
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
        of.present_ = nullptr;
        of.now_ = doing::firing; // expect() has nothing to wake any more
    }
};

queue_alarm::queue_alarm(asio::any_io_executor executor, std::shared_ptr<time_source> time, action fire,
                         task_group::failure_handler on_failure)
    : executor_(executor),
      time_(std::move(time)),
      fire_(std::move(fire)),
      tasks_(executor, logger::silent(), std::move(on_failure))
{
}

void queue_alarm::expect(time_point when)
{
    std::lock_guard lock(mutex_);
    if (next_ && *next_ <= when) return;
    if (now_ == doing::nothing)
        tasks_.spawn("timer", make_kept_strand(executor_).get(), run(*this));
    else if (now_ == doing::idling)
        present_->wake.notify();
    else if (now_ == doing::timing)
        asio::post(present_->strand, [self = shared_from_this(), present = present_] {
            std::lock_guard inner(self->mutex_);
            if (self->present_ == present) present->alarm->cancel();
        });
    // In every other state run() reads next_ before it waits again.
    next_ = when;
    now_ = doing::firing;
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
