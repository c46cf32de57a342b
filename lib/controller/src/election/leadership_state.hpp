#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/latch.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace kubecoro::detail {

/// The term behind a leadership. Shared by the elector, which changes it, and the work.
struct leadership_state
{
    std::string identity;
    std::string lease_uid;
    std::uint64_t token = 0;
    std::int32_t transitions = 0;
    std::shared_ptr<time_source> time;
    /// When the leadership ends unless it is renewed; in ticks of a time_point.
    std::atomic<duration::rep> until{0};
    latch ending;
};

} // namespace kubecoro::detail
