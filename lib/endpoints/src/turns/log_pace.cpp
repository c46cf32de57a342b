#include "turns/log_pace.hpp"

#include <utility>

namespace kubecoro::detail {

std::optional<std::uint64_t> log_pace::pass(time_point now) noexcept
{
    if (last_ && now - *last_ < pause_) {
        ++held_back_;
        return std::nullopt;
    }
    last_ = now;
    return std::exchange(held_back_, 0);
}

} // namespace kubecoro::detail
