#pragma once
// Allocations that fail inside of coroutines.

#include <kubecoro/base/clock.hpp>
#include <kubecoro/test/allocations.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/strand.hpp>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace kubecoro::test {

/// Makes an allocation fail after a reading of the clock.
class failing_clock : public time_source
{
public:
    explicit failing_clock(std::shared_ptr<time_source> real) : real_(std::move(real)) {}
    /// The n-th allocation after that reading fails, if it comes before the next reading.
    void fail_after(int reading, std::uint64_t nth) noexcept
    {
        left_ = reading + 1;
        nth_ = nth;
    }
    [[nodiscard]] time_point now() const noexcept override
    {
        if (left_ > 0) fail_allocation(--left_ == 1 ? nth_ : 0);
        return real_->now();
    }
    [[nodiscard]] wall_time wall_now() const noexcept override { return real_->wall_now(); }
    [[nodiscard]] std::unique_ptr<timer> make_timer(boost::asio::any_io_executor executor) override
    {
        return real_->make_timer(std::move(executor));
    }

private:
    std::shared_ptr<time_source> real_;
    mutable int left_ = 0;
    mutable std::uint64_t nth_ = 0;
};

/// Creates the mutexes that the strands of a context share: Boost 1.81 crashes if there is no memory for one of these.
inline void create_strand_mutexes(const boost::asio::any_io_executor& executor)
{
    std::vector<boost::asio::any_io_executor> strands;
    for (int n = 0; n < 4'000; ++n) strands.emplace_back(boost::asio::make_strand(executor));
}

} // namespace kubecoro::test
