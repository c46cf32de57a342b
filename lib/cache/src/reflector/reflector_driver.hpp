#pragma once

#include "reflector/reflector_core.hpp"

#include <kubecoro/api/list_watch_source.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/base/detail/wake_signal.hpp>
#include <kubecoro/cache/delta_fifo.hpp>
#include <kubecoro/cache/relist_budget.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro::detail {

/** Receives the output of a reflector. Called on the reflector's executor; must not block.

    replace(), apply() and vanished() take over what they are given, or throw and take nothing. */
class delta_sink
{
public:
    virtual ~delta_sink() = default;
    /// @param left_out  Objects that are not among the items but still exist: their stored state does not change.
    virtual void replace(std::vector<object> items, std::string resource_version,
                         std::vector<left_out_object> left_out) = 0;
    virtual void apply(std::vector<delta> changes, std::string resource_version) = 0;
    /// Called instead of replace() for a core with list_delivery::pages; other sinks need not have it.
    virtual void page(reflector_core::do_page part);
    /// The server no longer serves the resource.
    virtual void vanished() = 0;
    /// False while the reflector has to wait before it continues.
    [[nodiscard]] virtual bool has_room() const = 0;
    /// Completes when the reflector may continue. A failure means that the sink has lost what it was given: the
    /// reflector lists again.
    [[nodiscard]] virtual boost::asio::awaitable<result<>> room() = 0;
    virtual void report(reflector_core::incident what) = 0;
    /// Called when state or counters have changed.
    virtual void progress(const reflector_core& core) = 0;
};

/** Keeps a sink equal to the content of a source: performs the actions that reflector_core decides.

    Runs on one strand, that of the coroutine that awaits run(). */
class reflector_driver
{
public:
    reflector_driver(std::shared_ptr<list_watch_source> source, reflector_core core, reflector_policy policy,
                     std::shared_ptr<time_source> time, relist_budget budget, delta_sink& sink);

    /// Runs until it is cancelled; then completes with cond::cancelled. An exception of the source is a failed request;
    /// any other exception ends it.
    [[nodiscard]] boost::asio::awaitable<result<>> run();

    /// Any thread, before run() is cancelled: a source or sink of the program can swallow the cancellation.
    void request_stop() noexcept { stopping_ = true; }
    /// Ends the current wait between two attempts, if any. Call on the reflector's executor.
    void retry_now();
    /// Lists again: see reflector_core::want_list(). Call on the reflector's executor.
    void list_again();
    /// See reflector_core::want_none(). Call before run().
    void want_none() noexcept
    {
        KUBECORO_EXPECT(core_.state() == informer_state::created);
        core_.want_none();
    }

private:
    using action = reflector_core::action;

    [[nodiscard]] boost::asio::awaitable<result<>> perform_next();
    [[nodiscard]] boost::asio::awaitable<action> perform(action a);
    [[nodiscard]] boost::asio::awaitable<action> wait(duration delay);
    [[nodiscard]] boost::asio::awaitable<result<list_page>> list(list_options options);
    [[nodiscard]] boost::asio::awaitable<result<list_page>> ask_list(list_options options);
    [[nodiscard]] boost::asio::awaitable<action> take_turn();
    [[nodiscard]] boost::asio::awaitable<action> watch(reflector_core::do_watch ask);
    [[nodiscard]] boost::asio::awaitable<result<>> open(watch_options options);
    [[nodiscard]] boost::asio::awaitable<result<std::unique_ptr<watch_stream>>> ask_watch(watch_options options);
    /// Reads and applies until the core decides another action, which it leaves in next_.
    [[nodiscard]] boost::asio::awaitable<result<>> read();
    [[nodiscard]] boost::asio::awaitable<result<>> until_silent();
    [[nodiscard]] boost::asio::awaitable<result<>> until_silent_or_wanted();
    /// Performs actions that do not suspend, until next_ is one that does.
    void apply();
    /// Waits while the sink has no room. @return false when it was cancelled, or when the sink has lost content: then
    /// next_ is the action that repairs it.
    [[nodiscard]] boost::asio::awaitable<bool> hold();
    /// Whether the present step is to end, even if the program's code has swallowed its cancellation.
    [[nodiscard]] bool ends() const noexcept { return stopping_ || watch_over_; }
    void report();

    std::shared_ptr<list_watch_source> source_;
    reflector_core core_;
    reflector_policy policy_;
    std::shared_ptr<time_source> time_;
    relist_budget budget_;
    delta_sink& sink_;
    std::unique_ptr<watch_stream> stream_;
    std::atomic<bool> stopping_{false};
    /// True when the watch is to end because it is silent, or because a list is wanted.
    bool watch_over_ = false;
    /// True while the sink has no room: the silence is ours.
    bool held_ = false;
    /// Ends the wait between two attempts; empty outside of it.
    std::optional<wake_signal> impatience_;
    /// Ends the watch because a list is wanted; empty while none is read.
    std::optional<wake_signal> list_wanted_;
    /// Held during a relist.
    std::optional<relist_budget::turn> turn_;
    action next_;
};

} // namespace kubecoro::detail
