#include "reflector/parking_core.hpp"

namespace kubecoro::detail {

void parking_core::failed(const failure& why, bool known) noexcept
{
    if (!known || why != cond::not_found) return answered();
    if (++unknown_ >= believed_after) parked_ = true;
}

std::optional<parking_core::look> parking_core::next_look()
{
    if (!parked_) return std::nullopt;
    const bool first = probe_.attempts() == 0;
    return look{probe_.next(), first};
}

void parking_core::succeeded() noexcept
{
    unknown_ = 0;
    parked_ = false;
    probe_.reset();
}

} // namespace kubecoro::detail
