#pragma once
// One user of an informer: a handler or a subscription with its own manner, pace and belief.

#include "belief.hpp"

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
    /// A plain function that throws now and then, after it has listened.
    throwing,
    /// A coroutine that sleeps, with a queue so short that notifications merge.
    slow,
    /// A coroutine that returns failures now and then.
    failing,
    /// A subscription, popped by a coroutine that is cancelled now and then.
    pulling,
    /// A coroutine that sleeps, for several objects at once.
    concurrent
};
inline constexpr std::uint64_t manners = 6;

struct participant_options
{
    manner how = manner::plain;
    /// With coalesce::never the bound is far away: the simulation wants it to hear of everything.
    coalesce policy = coalesce::hybrid;
    /// Hears only of what has the label app=shop, by a filter.
    bool filtered = false;
    /// 0 = the informer's own.
    duration resync{0};
    /// It is promised resyncs, by its own period or the informer's.
    bool resyncs = false;
    /// Removes itself from inside its own handler after so many notifications; 0 = never.
    std::uint64_t own_end = 0;
};

/** Joins on construction. Must outlive everything the runner runs.

    Checks, beside its belief: calls of one handler do not overlap, nor those for one object if it is concurrent, none comes
    after the removal, has_synced() completes after the initial adds and only then. */
class participant
{
public:
    participant(std::string name, participant_options options, shared_informer informer, scope covered,
                const truth& real, testing::runner& runner, journal& notes, std::uint64_t seed);
    participant(const participant&) = delete;
    participant& operator=(const participant&) = delete;

    /// Removal, as a user does it; has ended when `removed()`.
    void leave();
    /// Cancels the coroutine that pops, if this is its manner, some steps later, and then lets another go on: no event may be
    /// lost.
    void disturb();
    void go_on();
    /// The informer is about to stop.
    void expect_end() noexcept { end_expected_ = true; }
    /// It has stopped: a handler must not be called any more; what waits in a subscription is still handed out.
    void end() noexcept { ended_ = true; }

    [[nodiscard]] bool leaving() const noexcept { return leaving_; }
    [[nodiscard]] bool removed() const noexcept { return gone_; }
    [[nodiscard]] bool busy() const noexcept { return !inside_.empty(); }
    /// has_synced() has completed, with success.
    [[nodiscard]] bool synced() const { return waiting_for_sync_.done() && waiting_for_sync_.outcome().has_value(); }
    /// Every coroutine of ours has ended.
    [[nodiscard]] bool quiet() const;
    [[nodiscard]] handler_stats stats() const;
    /// Empty where it subscribes.
    [[nodiscard]] const registration& handle() const noexcept { return registration_; }
    [[nodiscard]] belief& view() noexcept { return view_; }
    [[nodiscard]] const belief& view() const noexcept { return view_; }
    [[nodiscard]] const participant_options& options() const noexcept { return options_; }

private:
    void join(const shared_informer& informer);
    /// Listens; throws if it is its manner.
    void call(const notification& n);
    boost::asio::awaitable<result<>> call_slowly(notification n);
    boost::asio::awaitable<result<>> pull();
    boost::asio::awaitable<result<>> wait_for_sync();
    boost::asio::awaitable<result<>> wait_for_removal();
    void enter(const notification& n);
    void leave_call(const notification& n);
    void broken(const std::string& what) { notes_->broken(view_.name(), what); }
    [[nodiscard]] bool says_synced() const;

    participant_options options_;
    testing::runner* runner_;
    journal* notes_;
    random_source random_;
    belief view_;
    registration registration_;
    std::unique_ptr<subscription> subscription_;
    testing::task<void> waiting_for_sync_;
    testing::task<void> waiting_for_removal_;
    testing::task<void> pulling_;
    std::uint64_t calls_ = 0;
    bool disturbed_ = false;
    bool end_expected_ = false;
    bool ended_ = false;
    /// The objects a call is in progress for, and whether it is an initial add.
    std::map<object_key, bool> inside_;
    bool leaving_ = false;
    bool gone_ = false;
};

} // namespace kubecoro::simulation
