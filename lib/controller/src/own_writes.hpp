#pragma once

#include "own_writes_core.hpp"

#include <kubecoro/cache/lister.hpp>
#include <kubecoro/cache/notification.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace kubecoro {

/** own_writes_core for many threads. Costs one load where nobody has written anything. */
class own_writes
{
public:
    using released = std::vector<own_writes_core::released>;

    /// `seen(write)` says whether a source has shown it already: asked so that no event can pass by meanwhile.
    /// @return whether these are the first to be waited for.
    template<class Seen>
    bool add(object_key_view key, std::vector<own_writes_core::write> writes, time_point expiry, Seen seen)
    {
        std::lock_guard lock(mutex_);
        std::erase_if(writes, seen);
        const bool first = core_.size() == 0 && !writes.empty();
        core_.add(key, std::move(writes), expiry);
        any_ = core_.size() != 0;
        return first;
    }

    [[nodiscard]] bool hold(object_key_view key, int priority)
    {
        if (!any_) return false;
        std::lock_guard lock(mutex_);
        return core_.hold(key, priority);
    }

    /// The source has handed out these events; the store showed them before.
    [[nodiscard]] released seen(std::uint32_t source, std::span<const notification> events);
    [[nodiscard]] released source_gone(std::uint32_t source);
    /// @param in_vain  How many keys waited in vain.
    [[nodiscard]] released expire(time_point now, std::size_t& in_vain);
    [[nodiscard]] std::optional<time_point> next_expiry() const;
    [[nodiscard]] std::size_t held() const;

private:
    std::atomic<bool> any_{false};
    mutable std::mutex mutex_;
    own_writes_core core_;
};

} // namespace kubecoro
