#pragma once

#include "shards/share_state.hpp"

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/detail/wake_signal.hpp>
#include <kubecoro/base/latch.hpp>

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace kubecoro::detail {

/** Lets a controller run only keys of a share, and knows which of its runs are outside of it. Thread safe.

    A run enters and a share changes under one lock: no run of a key begins after the share has lost it. */
class run_gate final : public share_user, public std::enable_shared_from_this<run_gate>
{
public:
    /// A run in progress; leaves the gate with its destruction.
    class pass
    {
    public:
        pass() = default;
        pass(pass&&) noexcept = default;
        pass& operator=(pass&&) = delete;
        ~pass();
        /// Whether the run may take place.
        [[nodiscard]] explicit operator bool() const noexcept { return gate_ != nullptr; }
        /// Settled to cancel the run.
        [[nodiscard]] const latch& cancelled() const noexcept { return run_->cancel; }

    private:
        friend class run_gate;
        struct run
        {
            object_key key;
            /// Its key is outside, and it may go on until then.
            std::optional<time_point> until = {};
            latch cancel = {};
        };
        std::shared_ptr<run_gate> gate_;
        std::list<run>::iterator run_;
    };
    /// A share, and how many there were before it.
    struct picture
    {
        std::shared_ptr<const shard_share> share = {};
        std::uint64_t number = 0;
    };

    explicit run_gate(wake_signal run_ended) : run_ended_(std::move(run_ended)) {}

    /// Tests false if the key is not of the share.
    [[nodiscard]] pass enter(object_key_view key);
    [[nodiscard]] picture current() const;
    /// Notified by every later change of the share, for as long as the caller keeps it.
    void subscribe(const std::shared_ptr<wake_signal>& listener);

    void assign(std::shared_ptr<const shard_share> share, time_point runs_until) override;
    [[nodiscard]] std::size_t outside() const override;
    overdue_runs cancel_overdue(time_point now) override;

private:
    wake_signal run_ended_;
    mutable std::mutex mutex_;
    picture current_;                                   // under the mutex
    std::list<pass::run> runs_;                         // under the mutex
    std::vector<std::weak_ptr<wake_signal>> listeners_; // under the mutex
};

/// The keys that a share has and an earlier one did not have.
struct share_gain
{
    std::shared_ptr<const shard_share> now;
    /// Null: nothing was there before.
    std::shared_ptr<const shard_share> before = {};

    [[nodiscard]] bool has(object_key_view key) const noexcept
    {
        return now->covers(key) && !(before && before->covers(key));
    }
    /// False if there is no such key for sure.
    [[nodiscard]] bool possible() const noexcept;
};

} // namespace kubecoro::detail
