#include "dashboard/snapshot_core.hpp"

#include <kubecoro/base/saturating_time.hpp>

namespace kubecoro::detail {

bool snapshot_core::on_join() noexcept
{
    if (streams_ >= max_streams_) return false;
    ++streams_;
    return true;
}

bool snapshot_core::on_leave() noexcept { return --streams_ == 0; }

time_point snapshot_core::due() const noexcept { return time_after(made_, period_); }

snapshot_core::step snapshot_core::next(std::uint64_t seen, time_point now) const noexcept
{
    // A stream that is late skips what it has missed.
    if (number_ == 0 || now >= due()) return step::make;
    return number_ > seen ? step::send : step::wait;
}

void snapshot_core::on_made(time_point now) noexcept
{
    ++number_;
    made_ = now;
}

} // namespace kubecoro::detail
