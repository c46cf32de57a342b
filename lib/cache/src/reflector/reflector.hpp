#pragma once

#include "fifo/delta.hpp"
#include "reflector/reflector_core.hpp"

#include <kubecoro/api/list_watch_source.hpp>
#include <kubecoro/base/async_event.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/cache/relist_budget.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro::detail {

/// Where a reflector puts what it learns. Called on the reflector's executor; never waits.
class reflector_sink
{
public:
    virtual ~reflector_sink() = default;
    /// @param left_out  Not among the items, and not gone either: stays as it is.
    virtual result<> replace(std::size_t scope, std::vector<object> items, std::string resource_version,
                             const std::vector<left_out_object>& left_out) = 0;
    virtual result<> apply(std::size_t scope, std::vector<delta> changes, std::string resource_version) = 0;
    /// The server does not know the resource any more.
    virtual void vanished(std::size_t scope) = 0;
    virtual void report(std::size_t scope, const reflector_core::incident& what) = 0;
    /// State or counts have changed.
    virtual void progress(std::size_t scope, const reflector_core& core) = 0;
};

/** Keeps a sink equal to what a source holds: performs what reflector_core decides.

    Everything runs on one strand, that of the coroutine that awaits run(). */
class reflector
{
public:
    reflector(std::size_t scope, std::shared_ptr<list_watch_source> source, reflector_core core,
              reflector_policy policy, std::shared_ptr<time_source> time, relist_budget budget, reflector_sink& sink);

    /// Goes on until it is cancelled, whatever the source or the sink throws; then completes with cond::cancelled. Once
    /// only.
    [[nodiscard]] boost::asio::awaitable<result<>> run();

    /// Ends the wait between two attempts, if it is in one. On its executor.
    void retry_now();

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
    /// Reads and applies until the core wants something else, which it leaves in next_.
    [[nodiscard]] boost::asio::awaitable<result<>> read();
    [[nodiscard]] boost::asio::awaitable<result<>> read_on();
    [[nodiscard]] boost::asio::awaitable<result<>> until_silent();
    /// Performs what needs no waiting, until next_ is something that does.
    void apply();
    void report() noexcept;

    std::size_t scope_;
    std::shared_ptr<list_watch_source> source_;
    reflector_core core_;
    reflector_policy policy_;
    std::shared_ptr<time_source> time_;
    relist_budget budget_;
    reflector_sink& sink_;
    std::unique_ptr<watch_stream> stream_;
    /// Of the wait between two attempts, while there is one.
    std::optional<wake_signal> impatience_;
    /// While we list again.
    std::optional<relist_budget::turn> turn_;
    action next_;
};

} // namespace kubecoro::detail
