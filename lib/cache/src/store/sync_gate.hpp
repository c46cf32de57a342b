#pragma once
// An awaitable sync state: pending, failed for now with a reason, or done.

#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <mutex>
#include <optional>

namespace kubecoro::detail {

/** The sync state of an informer or a part of it. Thread safe; copies share one gate.

    fail() is the result of all current waits, and of later ones until retry(); open() and close() are final, and the
    first call wins; only end() overrides them. */
class sync_gate
{
public:
    sync_gate() : state_(std::make_shared<state>()) {}
    /// Whether both are the same gate.
    friend bool operator==(const sync_gate& a, const sync_gate& b) noexcept { return a.state_ == b.state_; }

    void open() const { settle({}, true); }
    void close() const { close(failure(cond::cancelled, "it was stopped before it synced")); }
    void close(const failure& why) const { settle(why, true); }
    void fail(const failure& why) const { settle(why, false); }
    /// The informer has ended: later waits fail, also of a gate that was open.
    void end(const failure& why) const { settle(why, true, true); }
    /// Clears the failure; later waits are pending again.
    void retry() const
    {
        std::lock_guard lock(state_->mutex);
        if (!state_->final) state_->outcome.reset();
    }

    [[nodiscard]] bool is_open() const
    {
        std::lock_guard lock(state_->mutex);
        return state_->outcome && state_->outcome->has_value();
    }

    [[nodiscard]] boost::asio::awaitable<result<>> wait() const
    {
        std::optional<latch> l;
        {
            std::lock_guard lock(state_->mutex);
            if (state_->outcome) return ready(*state_->outcome);
            l = state_->waiters;
        }
        return l->wait();
    }

private:
    struct state
    {
        std::mutex mutex;
        std::optional<result<>> outcome;
        bool final = false;
        latch waiters;
    };

    static boost::asio::awaitable<result<>> ready(result<> outcome) { co_return outcome; }

    void settle(result<> outcome, bool final, bool over_all = false) const
    {
        latch answered;
        {
            std::lock_guard lock(state_->mutex);
            if (state_->final && !over_all) return;
            state_->final = final;
            state_->outcome = outcome;
            // Waits after a retry() need a latch of their own.
            answered = std::exchange(state_->waiters, latch{});
        }
        answered.settle(std::move(outcome));
    }

    std::shared_ptr<state> state_;
};

} // namespace kubecoro::detail
