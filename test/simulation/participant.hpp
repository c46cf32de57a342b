#pragma once
// One user of an informer: a handler or a subscription with its own manner, pace and derived state.

#include "notification_checker.hpp"

#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/cache/shared_informer.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <boost/asio/awaitable.hpp>

#include <map>
#include <memory>
#include <string>

namespace kubecoro::simulation {

enum class manner
{
    /// A plain function.
    plain,
    /// A plain function that sometimes throws, after it has checked the notification.
    throwing,
    /// A coroutine that sleeps, with a queue so short that notifications merge.
    slow,
    /// A coroutine that sometimes returns a failure.
    failing,
    /// A subscription, popped by a coroutine that is sometimes cancelled.
    pulling,
    /// A coroutine that sleeps, for several objects at once.
    concurrent
};
inline constexpr std::uint64_t manners = 6;

struct participant_options
{
    manner how = manner::plain;
    /// With coalesce::never the bound is large: the user must receive every event.
    coalesce policy = coalesce::hybrid;
    /// Receives only objects with the label app=shop, by a filter.
    bool filtered = false;
    /// 0 = the informer's own.
    duration resync{0};
    /// It receives resyncs, by its own period or the informer's.
    bool resyncs = false;
    /// Removes itself inside its own handler after this number of notifications; 0 = never.
    std::uint64_t own_end = 0;
};

/** Joins on construction. Must outlive everything the runner runs.

    Checks, in addition to its derived state: calls of one handler do not overlap, nor those for one object if it is
    concurrent; none comes after the removal; has_synced() completes after the initial adds and not before. */
class participant
{
public:
    participant(std::string name, participant_options options, shared_informer<object> informer, scope covered,
                const server_history& real, testing::runner& runner, journal& notes, std::uint64_t seed);
    participant(const participant&) = delete;
    participant& operator=(const participant&) = delete;

    /// Removal, as a user does it; complete when `removed()`.
    void leave();
    /// Cancels the coroutine that pops, for this manner, some steps later, and starts another one: no event may be
    /// lost.
    void disturb();
    void go_on();
    /// The informer is about to stop.
    void expect_end() noexcept { end_expected_ = true; }
    /// The informer has stopped: a handler must not be called any more; a subscription still delivers waiting events.
    void end() noexcept { ended_ = true; }

    [[nodiscard]] bool leaving() const noexcept { return leaving_; }
    [[nodiscard]] bool removed() const noexcept { return gone_; }
    [[nodiscard]] bool busy() const noexcept { return !inside_.empty(); }
    /// has_synced() has completed, with success.
    [[nodiscard]] bool synced() const { return waiting_for_sync_.done() && waiting_for_sync_.outcome().has_value(); }
    /// Every coroutine of this user has ended.
    [[nodiscard]] bool quiet() const;
    [[nodiscard]] handler_stats stats() const;
    /// Empty for a subscription.
    [[nodiscard]] const registration& handle() const noexcept { return registration_; }
    [[nodiscard]] notification_checker& view() noexcept { return view_; }
    [[nodiscard]] const notification_checker& view() const noexcept { return view_; }
    [[nodiscard]] const participant_options& options() const noexcept { return options_; }

private:
    void join(const shared_informer<object>& informer);
    /// Checks the notification; throws if that is its manner.
    void call(const notification<object>& n);
    boost::asio::awaitable<result<>> call_slowly(notification<object> n);
    boost::asio::awaitable<result<>> pull();
    boost::asio::awaitable<result<>> wait_for_sync();
    boost::asio::awaitable<result<>> wait_for_removal();
    void enter(const notification<object>& n);
    void leave_call(const notification<object>& n);
    void broken(const std::string& what) { notes_->broken(view_.name(), what); }
    [[nodiscard]] bool says_synced() const;

    participant_options options_;
    testing::runner* runner_;
    journal* notes_;
    detail::random_source random_;
    notification_checker view_;
    registration registration_;
    std::unique_ptr<subscription<object>> subscription_;
    testing::task<void> waiting_for_sync_;
    testing::task<void> waiting_for_removal_;
    testing::task<void> pulling_;
    std::uint64_t calls_ = 0;
    bool disturbed_ = false;
    bool end_expected_ = false;
    bool ended_ = false;
    /// The objects with a call in progress, and whether it is for an initial add.
    std::map<object_key, bool> inside_;
    bool leaving_ = false;
    bool gone_ = false;
};

} // namespace kubecoro::simulation
