// A clock that a case can put forward, while real time passes for sockets and timers.
#pragma once

#include <kubecoro/base/clock.hpp>

#include <atomic>
#include <memory>
#include <utility>

namespace kubecoro::e2e {

/// The monotonic time is ahead of the system's; the wall clock and the lengths of waits are the system's. Thread safe.
class hurried_clock final : public time_source
{
public:
    [[nodiscard]] time_point now() const noexcept override { return real_->now() + ahead_->load(); }
    [[nodiscard]] wall_time wall_now() const noexcept override { return real_->wall_now(); }
    [[nodiscard]] std::unique_ptr<timer> make_timer(boost::asio::any_io_executor executor) override
    {
        return std::make_unique<ahead_timer>(real_->make_timer(std::move(executor)), ahead_);
    }

    void advance(duration d) { *ahead_ = ahead_->load() + d; }

private:
    using shift = std::shared_ptr<std::atomic<duration>>;

    class ahead_timer final : public timer
    {
    public:
        ahead_timer(std::unique_ptr<timer> real, shift ahead) : real_(std::move(real)), ahead_(std::move(ahead)) {}
        void expires_at(time_point when) override { real_->expires_at(when - ahead_->load()); }
        void cancel() noexcept override { real_->cancel(); }
        [[nodiscard]] boost::asio::awaitable<result<>> wait() override { return real_->wait(); }

    private:
        std::unique_ptr<timer> real_;
        shift ahead_;
    };

    std::shared_ptr<time_source> real_ = real_clock();
    shift ahead_ = std::make_shared<std::atomic<duration>>(duration::zero());
};

} // namespace kubecoro::e2e
