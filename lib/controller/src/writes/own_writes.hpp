#pragma once

#include "writes/own_writes_core.hpp"

#include <kubecoro/base/detail/confinement.hpp>
#include <kubecoro/base/detail/wake_signal.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kubecoro::detail {

/** A thread-safe own_writes_core. Costs one atomic load per event and run while no write is outstanding. */
class own_writes
{
public:
    /// Keys whose waits have ended, in that order.
    using released = std::vector<own_writes_core::released>;
    /// Takes the keys that were released since.
    [[nodiscard]] released take_released();
    /// Those that could not be queued, for lack of memory.
    void put_back(released keys);

    /// A place to watch: wait for the version returned by next(), report it with reached(), and repeat; also repeat
    /// when `changed` is notified.
    struct place
    {
        own_writes_core::place where;
        wake_signal changed;
    };
    struct added
    {
        std::vector<place> places;
        /// True when no writes were outstanding before.
        bool first = false;
    };
    [[nodiscard]] added add(object_key_view key, const std::vector<own_writes_core::write>& writes,
                            const std::vector<own_writes_core::removal>& removals, time_point expiry);

    [[nodiscard]] bool hold(object_key_view key, int priority);

    /// Empty when the place is closed.
    [[nodiscard]] std::optional<std::string> next(own_writes_core::place_id id);
    void reached(own_writes_core::place_id id, std::string_view version);
    void give_up(own_writes_core::place_id id);
    [[nodiscard]] bool awaits_removal(std::uint32_t source, object_key_view key) const;
    void shows(std::uint32_t source, object_key_view key, std::string_view uid, bool being_deleted);
    void give_up_removals(std::uint32_t source);
    /// @return the number of keys whose wait timed out.
    [[nodiscard]] std::size_t expire(time_point now);
    [[nodiscard]] std::optional<time_point> next_expiry() const;
    /// Wakes the watches of a source's places.
    void wake(std::uint32_t source) const;
    [[nodiscard]] std::size_t held() const;

private:
    void tell(const own_writes_core::news& told) const;

    std::atomic<bool> any_{false};
    mutable checked_mutex mutex_;
    own_writes_core core_;
    released released_; // kept here, so that an exception loses none
    std::unordered_map<own_writes_core::place_id, wake_signal> signals_;
};

} // namespace kubecoro::detail
