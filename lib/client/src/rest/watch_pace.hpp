#pragma once

#include "connect/socket_stream.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/base/clock.hpp>

#include <algorithm>
#include <vector>

namespace kubecoro::detail {

/** Decides whether the bytes of a watch gather before they are read: see answer::read_in_bulk().

    Those of existing objects do, and those of events that come fast and are partly of others: objects that
    selecting_objects passes over, such as those of another shard. Their latency does not matter, and a wake-up for each costs
    more than its decoding. An event of its own among them waits for a millisecond at most. */
class watch_pace
{
public:
    /// @param begins_with_list  The existing objects come first.
    explicit watch_pace(bool begins_with_list) noexcept : lists_(begins_with_list), gathers_(begins_with_list) {}

    [[nodiscard]] bool gathers() const noexcept { return gathers_; }

    /// Reports a batch, and how long its read took.
    void after(const std::vector<watch_event>& batch, duration waited) noexcept
    {
        const auto is_live = [](const watch_event& e) { return e.ends_initial_events(); };
        const auto is_of_others = [](const watch_event& e) { return e.passed_over.has_value(); };
        lists_ = lists_ && std::ranges::none_of(batch, is_live);
        const duration soon = gathers_ ? 2 * gathering : gathering;
        gathers_ = lists_ || (waited < soon && std::ranges::any_of(batch, is_of_others));
    }

private:
    static constexpr duration gathering = socket_reader::patience;

    bool lists_;
    bool gathers_;
};

} // namespace kubecoro::detail
