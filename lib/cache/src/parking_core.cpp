#include "parking_core.hpp"

namespace kubecoro {

std::optional<duration> parking_core::failed(const failure& why, bool known)
{
    if (known && why == cond::not_found) ++unknown_;
    if (unknown_ >= believed_after) parked_ = true;
    if (!parked_) return std::nullopt;
    return probe_.next();
}

void parking_core::succeeded() noexcept
{
    unknown_ = 0;
    parked_ = false;
    probe_.reset();
}

} // namespace kubecoro
