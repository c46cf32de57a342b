#pragma once

#include <kubecoro/base/clock.hpp>

#include <memory>
#include <stdexcept>
#include <utility>

namespace kubecoro::test {

/// A clock whose timers throw, from fail() on, when they are set to a pause within the given limits.
class failing_timers final : public time_source
{
public:
    explicit failing_timers(std::shared_ptr<time_source> real) : real_(std::move(real)) {}
    /// @param shortest  Pauses from this on fail. @param longest  Pauses up to this fail.
    void fail(duration shortest = duration::zero(), duration longest = duration::max()) noexcept
    {
        shortest_ = shortest;
        longest_ = longest;
    }
    [[nodiscard]] time_point now() const noexcept override { return real_->now(); }
    [[nodiscard]] wall_time wall_now() const noexcept override { return real_->wall_now(); }
    [[nodiscard]] std::unique_ptr<timer> make_timer(boost::asio::any_io_executor executor) override
    {
        return std::make_unique<failing_timer>(*this, real_->make_timer(std::move(executor)));
    }

private:
    class failing_timer final : public timer
    {
    public:
        failing_timer(const failing_timers& clock, std::unique_ptr<timer> real) : clock_(clock), real_(std::move(real))
        {
        }
        void expires_at(time_point when) override
        {
            const auto pause = when - clock_.now();
            if (pause >= clock_.shortest_ && pause <= clock_.longest_) throw std::runtime_error("a broken timer");
            real_->expires_at(when);
        }
        void cancel() noexcept override { real_->cancel(); }
        [[nodiscard]] boost::asio::awaitable<result<>> wait() override { return real_->wait(); }

    private:
        const failing_timers& clock_;
        std::unique_ptr<timer> real_;
    };

    std::shared_ptr<time_source> real_;
    duration shortest_ = duration::max();
    duration longest_ = duration::zero();
};

} // namespace kubecoro::test
