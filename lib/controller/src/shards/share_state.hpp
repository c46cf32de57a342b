#pragma once

#include "shards/kept_parts.hpp"
#include "shards/shard_view.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/confinement.hpp>
#include <kubecoro/base/detail/wake_signal.hpp>
#include <kubecoro/controller/key_share.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
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

/** The share of a member, and its users. Thread safe.

    Informers keep the objects of all keys that are the member's by its views. A key that comes is given to the users once all informers
    of the share have its object, and the object of one that goes is kept until its run has ended. */
class share_state final : public object_share
{
public:
    /// @param list_delay  See shard_options.
    share_state(std::shared_ptr<time_source> time, shard_by by, duration list_delay);

    // ---- the member
    void assign(const shard_share& share, time_point runs_until);
    void works_until(time_point until) noexcept { until_ = until.time_since_epoch().count(); }
    [[nodiscard]] std::size_t outside() const;
    overdue_runs cancel_overdue(time_point now);
    /// No run outside is left: their objects are not needed any more.
    void drained();
    /// Lets informers list if keys have come and they have waited for others that may come. Repeats what had no memory.
    ///
    /// @return when they are to list.
    std::optional<time_point> list_if_due(time_point now);
    /// Informers that have yet to list objects of keys that have come.
    [[nodiscard]] std::size_t behind() const;
    /// Wakes the member, also when a run outside has ended.
    wake_signal news;

    // ---- informers
    [[nodiscard]] bool keeps(object_key_view key) const noexcept override;
    [[nodiscard]] std::uint64_t gains() const noexcept override { return gains_; }
    [[nodiscard]] bool by_namespace() const noexcept override { return by_ == shard_by::ns; }
    void add(const std::shared_ptr<share_follower>& informer) override;
    void shown() override;

    // ---- everyone else
    [[nodiscard]] std::shared_ptr<const shard_share> current() const;
    [[nodiscard]] result<> check(object_key_view key) const;
    /// Gives the user the present share, and every later one for as long as it lives.
    void add(const std::shared_ptr<share_user>& user);
    /// Null for a share that covers everything.
    [[nodiscard]] static std::shared_ptr<share_state> of(const key_share& share) noexcept { return share.state_; }

private:
    using views = kept_parts::views;

    [[nodiscard]] std::vector<std::shared_ptr<share_user>> users() const;
    [[nodiscard]] std::size_t behind(std::uint64_t gains) const;
    [[nodiscard]] std::size_t behind_now() const;
    void tell_informers();
    [[nodiscard]] shard_share usable();
    void hand_out_if_new();
    void hand_out(shard_share share);

    std::shared_ptr<time_source> time_;
    shard_by by_;
    std::atomic<std::uint64_t> gains_{0};
    mutable checked_mutex mutex_;
    // Under the mutex:
    /// The users have this: the part of wanted_ that informers have shown.
    std::shared_ptr<const shard_share> current_;
    shard_share wanted_;
    time_point runs_until_ = time_point::max();
    /// The views of the last share that all informers had shown, and of those since.
    views shown_;
    kept_parts kept_;
    std::vector<std::weak_ptr<share_user>> users_;
    std::vector<std::weak_ptr<share_follower>> informers_;
    /// False: memory ran out before all were notified of gains_, or given current_.
    bool informers_know_ = true;
    bool users_have_it_ = true;
    /// In ticks of a time_point.
    std::atomic<duration::rep> until_{0};
};

} // namespace kubecoro::detail
