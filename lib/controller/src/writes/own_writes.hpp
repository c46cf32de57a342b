#pragma once

#include "writes/own_writes_core.hpp"

#include <kubecoro/base/async_event.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kubecoro::detail {

/** own_writes_core for many threads. Costs events nothing, and a run one load where nobody has written anything. */
class own_writes
{
public:
    using released = std::vector<own_writes_core::released>;

    /// A place that somebody has to watch: wait for the version that next() names, tell reached(), and ask again, also
    /// when `changed` says so.
    struct place
    {
        own_writes_core::place where;
        wake_signal changed;
    };
    struct added
    {
        std::vector<place> places;
        /// They are the first to be waited for.
        bool first = false;
    };
    [[nodiscard]] added add(object_key_view key, const std::vector<own_writes_core::write>& writes, time_point expiry);

    [[nodiscard]] bool hold(object_key_view key, int priority);

    /// None when the place is over.
    [[nodiscard]] std::optional<std::string> next(own_writes_core::place_id id);
    [[nodiscard]] released reached(own_writes_core::place_id id, std::string_view version);
    [[nodiscard]] released give_up(own_writes_core::place_id id);
    /// @param in_vain  How many keys waited in vain.
    [[nodiscard]] released expire(time_point now, std::size_t& in_vain);
    [[nodiscard]] std::optional<time_point> next_expiry() const;
    /// Has those who watch the places of a source look up.
    void wake(std::uint32_t source) const;
    [[nodiscard]] std::size_t held() const;

private:
    /// The caller holds the lock.
    void tell(const own_writes_core::news& told) const;

    std::atomic<bool> any_{false};
    mutable std::mutex mutex_;
    own_writes_core core_;
    std::unordered_map<own_writes_core::place_id, wake_signal> signals_;
};

} // namespace kubecoro::detail
