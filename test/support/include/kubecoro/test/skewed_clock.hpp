#pragma once
// A clock that runs faster or slower than another one.

#include <kubecoro/base/clock.hpp>

#include <chrono>
#include <cmath>
#include <memory>
#include <utility>

namespace kubecoro::test {

/// Monotonic time times a rate; wall-clock time is that of the other clock.
class skewed_clock final : public kubecoro::time_source
{
public:
    skewed_clock(std::shared_ptr<kubecoro::time_source> real, double rate) : real_(std::move(real)), rate_(rate) {}

    [[nodiscard]] kubecoro::time_point now() const noexcept override { return scaled(real_->now(), rate_); }
    [[nodiscard]] kubecoro::wall_time wall_now() const noexcept override { return real_->wall_now(); }
    [[nodiscard]] std::unique_ptr<kubecoro::timer> make_timer(boost::asio::any_io_executor executor) override
    {
        return std::make_unique<skewed_timer>(real_->make_timer(std::move(executor)), rate_);
    }

private:
    static kubecoro::time_point scaled(kubecoro::time_point t, double rate)
    {
        const auto ticks = static_cast<double>(t.time_since_epoch().count()) * rate;
        return kubecoro::time_point(kubecoro::duration(static_cast<kubecoro::duration::rep>(ticks)));
    }

    class skewed_timer final : public kubecoro::timer
    {
    public:
        skewed_timer(std::unique_ptr<kubecoro::timer> real, double rate) : real_(std::move(real)), rate_(rate) {}
        // Not too early: a wait that ends before its time would begin again and again.
        void expires_at(kubecoro::time_point when) override
        {
            real_->expires_at(scaled(when, 1 / rate_) + std::chrono::microseconds(1));
        }
        void cancel() noexcept override { real_->cancel(); }
        [[nodiscard]] boost::asio::awaitable<kubecoro::result<>> wait() override { return real_->wait(); }

    private:
        std::unique_ptr<kubecoro::timer> real_;
        double rate_;
    };

    std::shared_ptr<kubecoro::time_source> real_;
    double rate_;
};

} // namespace kubecoro::test
