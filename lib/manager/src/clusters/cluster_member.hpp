#pragma once
// One cluster of a set, while it is a member.

#include "clusters/cluster_meters.hpp"

#include <kubecoro/manager/cluster_stats.hpp>
#include <kubecoro/manager/manager.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace kubecoro::detail {

/// State of a cluster that joins, works or rests. Thread safe.
class cluster_member
{
public:
    /// @param meters  Counts its states.
    cluster_member(std::string n, std::shared_ptr<cluster_meters> meters)
        : name(std::move(n)), meters_(std::move(meters))
    {
        meters_->moved(name, {}, state_);
    }
    cluster_member(const cluster_member&) = delete;
    cluster_member& operator=(const cluster_member&) = delete;

    /// An attempt begins.
    void begin()
    {
        std::lock_guard lock(mutex_);
        ++attempts_;
        move_to(cluster_state::joining);
    }
    /// The manager that works there, while it does.
    void works(std::shared_ptr<manager> m)
    {
        std::lock_guard lock(mutex_);
        works_ = std::move(m);
    }
    /// The manager that works there; null while none does.
    [[nodiscard]] std::shared_ptr<manager> working() const
    {
        std::lock_guard lock(mutex_);
        return works_;
    }
    /// Its informers have synced.
    void ready()
    {
        std::lock_guard lock(mutex_);
        if (state_ == cluster_state::joining) move_to(cluster_state::ready);
    }
    /// The attempt has ended. @return whether its informers had synced.
    [[nodiscard]] bool ended(const result<>& outcome)
    {
        std::lock_guard lock(mutex_);
        const bool worked = state_ == cluster_state::ready;
        works_.reset();
        if (state_ != cluster_state::leaving) move_to(cluster_state::resting);
        if (!outcome) last_failure_ = outcome.error();
        return worked;
    }
    /// It is to leave.
    void leave()
    {
        std::lock_guard lock(mutex_);
        move_to(cluster_state::leaving);
    }
    /// It has left.
    void gone()
    {
        std::lock_guard lock(mutex_);
        meters_->moved(name, state_, {});
    }
    [[nodiscard]] cluster_stats stats() const;

    const std::string name;

private:
    void move_to(cluster_state to)
    {
        meters_->moved(name, state_, to);
        state_ = to;
    }

    const std::shared_ptr<cluster_meters> meters_;
    mutable std::mutex mutex_;
    cluster_state state_ = cluster_state::joining; // under the mutex, as all that follows
    std::shared_ptr<manager> works_;
    std::uint64_t attempts_ = 0;
    std::optional<failure> last_failure_;
};

} // namespace kubecoro::detail
