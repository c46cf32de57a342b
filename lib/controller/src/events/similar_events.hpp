#pragma once

#include "events/recent_map.hpp"

#include <kubecoro/base/clock.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/** Recognises events that differ in nothing but their note, as client-go's EventAggregator. Sans-io.

    From the tenth different note on, each within ten minutes of the one before, they are to be combined. */
class similar_events
{
public:
    static constexpr std::size_t combined_from = 10;
    static constexpr duration window = std::chrono::minutes{10};

    explicit similar_events(std::size_t most) : groups_(most) {}

    /// @param similarity  Equal for similar events.
    /// @return whether the event is to be combined with earlier ones.
    [[nodiscard]] bool combines(std::string_view similarity, std::string_view note, time_point now);

private:
    struct group
    {
        time_point last = {};
        /// Hashes of the different notes, up to `combined_from`.
        std::vector<std::uint64_t> notes = {};
    };
    recent_map<group> groups_;
};

} // namespace kubecoro::detail
