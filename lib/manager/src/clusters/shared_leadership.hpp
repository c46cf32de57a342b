#pragma once
// Passes the leadership of a manager on to the managers of its clusters.

#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <mutex>

namespace kubecoro::detail {

/** The leadership of a manager, as managers in other clusters share it: they work only while it lasts, and it ends only
    when none of them works any more. Thread safe. */
class shared_leadership
{
public:
    /// The latch is settled when the work may begin, for the first time.
    [[nodiscard]] const latch& granted() const noexcept { return granted_; }
    /// Settled when the work is to end, in order.
    [[nodiscard]] const latch& ending() const noexcept { return ending_; }
    /// Settled, with the reason, when it has to end at once.
    [[nodiscard]] const latch& lost() const noexcept { return lost_; }

    /// Held by everything that works under the leadership. Null when it has ended.
    [[nodiscard]] std::shared_ptr<void> enter() const
    {
        std::lock_guard lock(mutex_);
        return presence_;
    }

    /** Grants it until `stop` is settled, then completes when no work is in progress any more.

        @par Cancellation  the leadership was lost: the work ends at once. Completes as without it. */
    [[nodiscard]] static boost::asio::awaitable<result<>> hold(std::shared_ptr<shared_leadership> self, latch stop);

private:
    /// Settles the latch when the last copy of its owner goes.
    struct presence
    {
        explicit presence(latch i) : idle(std::move(i)) {}
        presence(const presence&) = delete;
        presence& operator=(const presence&) = delete;
        ~presence() { idle.settle({}); }
        latch idle;
    };
    void end();
    void lose();

    latch granted_, ending_, lost_, idle_;
    mutable std::mutex mutex_;
    std::shared_ptr<presence> presence_ = std::make_shared<presence>(idle_); // under the mutex
};

} // namespace kubecoro::detail
