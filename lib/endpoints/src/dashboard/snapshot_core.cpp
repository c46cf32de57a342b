#include "dashboard/snapshot_core.hpp"

#include <kubecoro/base/clock.hpp>

namespace kubecoro::detail {

bool snapshot_core::on_leave() noexcept { return --streams_ == 0; }

time_point snapshot_core::next_snapshot() const noexcept { return time_after(made_, std::max(period_, pause_)); }

time_point snapshot_core::due(const progress& of) const noexcept
{
    return std::min(next_snapshot(), time_after(of.at, longest_silence));
}

snapshot_core::step snapshot_core::next(const progress& of, time_point now) const noexcept
{
    // A stream that is late skips what it has missed.
    if (number_ == 0 || now >= next_snapshot()) return step::make;
    if (number_ > of.seen) return step::send;
    return now >= due(of) ? step::comment : step::wait;
}

void snapshot_core::on_made(time_point now, duration cost) noexcept
{
    // A program that was suspended meanwhile does not withhold snapshots for hours.
    constexpr duration most = std::chrono::seconds{1};
    ++number_;
    made_ = now;
    pause_ = 9 * std::min(cost, most);
}

} // namespace kubecoro::detail
