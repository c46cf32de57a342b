#include "turns/render_budget.hpp"

#include <algorithm>

namespace kubecoro::detail {
namespace {

constexpr double least_share = 0.01;
/// Shorter waits would cost more than the parts between them.
constexpr duration shortest_wait = std::chrono::milliseconds{1};

} // namespace

// Without any share, a page would be made once and never again.
render_budget::render_budget(double share, duration most_at_once) noexcept
    : share_(share > least_share ? share : least_share), most_at_once_(most_at_once), left_(most_at_once)
{
}

void render_budget::fill(time_point now) noexcept
{
    const duration passed = begun_ ? std::max(now - filled_, duration::zero()) : duration::zero();
    begun_ = true;
    filled_ = now;
    // As numbers, because a product of durations could overflow.
    const auto gained = std::chrono::duration<double>(passed).count() * share_;
    const auto wanting = std::chrono::duration<double>(most_at_once_ - left_).count();
    left_ = gained >= wanting ? most_at_once_
                              : left_ + std::chrono::duration_cast<duration>(std::chrono::duration<double>(gained));
}

bool render_budget::has_time(time_point now, duration least) noexcept
{
    if (share_ >= 1) return true;
    fill(now);
    return left_ >= least;
}

duration render_budget::wait(time_point now, duration least) noexcept
{
    if (has_time(now, least)) return duration::zero();
    const auto owed = std::chrono::duration<double>(least - duration{1} - left_).count() / share_;
    return std::max(std::chrono::duration_cast<duration>(std::chrono::duration<double>(owed)), shortest_wait);
}

void render_budget::take(time_point now, duration spent) noexcept
{
    fill(now);
    left_ = std::max(left_ - std::clamp(spent, duration::zero(), most_at_once_ + most_debt), -most_debt);
}

void render_budget::spend(time_point begin, time_point end) noexcept
{
    take(begin, end - begin);
    filled_ = std::max(filled_, end);
}

} // namespace kubecoro::detail
