#pragma once

#include "shards/shard_view.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/wake_signal.hpp>
#include <kubecoro/controller/key_share.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace kubecoro::detail {

struct overdue_runs
{
    /// Runs that were cancelled now.
    std::size_t cancelled = 0;
    /// When the next one is to be cancelled, if there is one.
    std::optional<time_point> next = {};

    void add(const overdue_runs& o) noexcept
    {
        cancelled += o.cancelled;
        if (o.next) next = std::min(next.value_or(*o.next), *o.next);
    }
};

/// Something that works on the keys of a share. Called with the share's lock held: must not call the share.
class share_user
{
public:
    share_user() = default;
    share_user(const share_user&) = delete;
    share_user& operator=(const share_user&) = delete;
    virtual ~share_user() = default;
    /// Begin no more runs of keys outside, and take in those that are new. Runs outside may go on until that time, or until an
    /// earlier one that they were given before.
    virtual void assign(std::shared_ptr<const shard_share> share, time_point runs_until) = 0;
    /// Runs of keys outside that have not ended.
    [[nodiscard]] virtual std::size_t outside() const = 0;
    /// Cancels the runs outside whose time is over.
    virtual overdue_runs cancel_overdue(time_point now) = 0;
};

/// The share of a member, and its users. Thread safe.
class share_state
{
public:
    explicit share_state(std::shared_ptr<time_source> time);

    // ---- the member
    void assign(const shard_share& share, time_point runs_until);
    void works_until(time_point until) noexcept { until_ = until.time_since_epoch().count(); }
    [[nodiscard]] std::size_t outside() const;
    overdue_runs cancel_overdue(time_point now);
    /// Wakes the member, also when a run outside has ended.
    wake_signal news;

    // ---- everyone else
    [[nodiscard]] std::shared_ptr<const shard_share> current() const;
    [[nodiscard]] result<> check(object_key_view key) const;
    /// Gives the user the present share, and every later one for as long as it lives.
    void add(const std::shared_ptr<share_user>& user);
    /// Null for a share that covers everything.
    [[nodiscard]] static std::shared_ptr<share_state> of(const key_share& share) noexcept { return share.state_; }

private:
    [[nodiscard]] std::vector<std::shared_ptr<share_user>> users() const;

    std::shared_ptr<time_source> time_;
    mutable std::mutex mutex_;
    std::shared_ptr<const shard_share> current_;   // under the mutex
    std::vector<std::weak_ptr<share_user>> users_; // under the mutex
    /// In ticks of a time_point.
    std::atomic<duration::rep> until_{0};
};

} // namespace kubecoro::detail
