#pragma once

#include "informer/alarms.hpp"
#include "informer/consistency_checker.hpp"
#include "informer/delta_processor.hpp"
#include "informer/informer_meter.hpp"
#include "informer/lane_set.hpp"
#include "informer/namespace_change.hpp"
#include "informer/object_transformer.hpp"
#include "informer/share_keeper.hpp"
#include "informer/share_selection.hpp"
#include "informer/strand_turns.hpp"
#include "informer/sync_monitor.hpp"
#include "listener/listener_registry.hpp"
#include "listener/shared_processor.hpp"
#include "store/store.hpp"
#include "waits/object_waiters.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/confinement.hpp>
#include <kubecoro/base/detail/context_bound.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/cache/stats.hpp>
#include <kubecoro/cache/subscription.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/** The implementation of shared_informer: owns the parts of an informer and the order in which they start and stop.

    The lanes decode on strands of their own and push into the FIFO. The informer's strand processes the FIFO, writes
    the store and distributes the changes; it never waits for a handler. */
class informer_engine final : public std::enable_shared_from_this<informer_engine>
{
public:
    explicit informer_engine(informer_settings s);

    // ---- any thread

    /// Stops with the context, if that ends first. Call before any other function.
    void end_with_context();
    void start();
    [[nodiscard]] std::shared_ptr<processor_listener> add_handler(event_handler<object> handler,
                                                                  handler_options options);
    [[nodiscard]] std::shared_ptr<processor_listener> add_subscription(handler_options options);
    [[nodiscard]] std::shared_ptr<processor_listener> add_stream(std::string name);
    /// Reports the states of its key to the waiter from now on; after `limit` it ends with cond::timed_out. 0 = no
    /// limit.
    void admit_waiter(const std::shared_ptr<object_waiter>& waiter, duration limit);
    /// Calls `call` on the strand after `limit` if `whose` still exists.
    void end_after(duration limit, std::weak_ptr<void> whose, std::function<void()> call);
    result<> add_index(std::string name, index_function f);
    [[nodiscard]] std::shared_ptr<const store> content() const noexcept { return store_; }
    [[nodiscard]] const sync_gate& gate() const noexcept { return sync_.gate(); }
    [[nodiscard]] const resource_type& resource() const noexcept { return settings_.resource; }
    // See shared_informer.
    [[nodiscard]] boost::asio::awaitable<result<>> set_namespaces(std::vector<std::string> namespaces);
    [[nodiscard]] boost::asio::awaitable<result<>> add_namespace(const std::string& ns);
    [[nodiscard]] boost::asio::awaitable<result<>> remove_namespace(const std::string& ns);
    [[nodiscard]] const lane_set& lanes() const noexcept { return lanes_; }
    void retry_now() const;
    [[nodiscard]] const std::shared_ptr<object_share>& share() const noexcept { return settings_.options.share; }
    [[nodiscard]] bool transforms() const noexcept { return static_cast<bool>(transformer_); }
    [[nodiscard]] const std::string& label() const noexcept { return settings_.label; }
    [[nodiscard]] std::uint64_t number() const noexcept { return settings_.number; }
    [[nodiscard]] informer_state state() const;
    [[nodiscard]] informer_stats stats() const;
    [[nodiscard]] std::string describe() const;

    /// Requests the stop of everything, of the handlers once no event can come any more; returns at once.
    void request_stop();
    /// Stops first the watches, then the handlers; completes when nothing runs. Any number of callers.
    [[nodiscard]] static boost::asio::awaitable<result<>> stop(std::shared_ptr<informer_engine> self);
    /// Called when the owner was destroyed without a stop: stops, and keeps the engine alive until nothing runs.
    static void abandon(std::shared_ptr<informer_engine> self);

private:
    class end_of_context;
    class end_of_events;

    /// Calls `f` on the strand, not in the middle of longer work. Returns false when the strand's context has ended.
    /// @param f  Holds this engine.
    template<class F>
    bool on_strand(F&& f)
    {
        return post(
            [this, call = std::function<void()>(std::forward<F>(f))]() mutable { turns_.call(std::move(call)); });
    }
    /// Posts to the strand. An exception ends the informer: it must not leave the run() of the user's context.
    template<class F>
    bool post(F&& f)
    {
        const auto strand = settings_.strand.get();
        if (strand)
            boost::asio::post(strand, [this, self = shared_from_this(), call = std::forward<F>(f)]() mutable {
                try {
                    call();
                } catch (...) {
                    end_by("step", to_failure(std::current_exception()));
                }
            });
        return static_cast<bool>(strand);
    }
    /// Posts a turn of longer work. A failure ends the informer.
    void post_turn(std::function<void()> f) noexcept;
    /// The one end for every failure of a loop. Any thread.
    void end_by(const std::string& task, const failure& why);
    void run_parts();
    [[nodiscard]] boost::asio::awaitable<result<>> process();
    [[nodiscard]] bool note_last_event();
    void end_handlers();
    void log_end();
    void publish() noexcept;
    [[nodiscard]] boost::asio::awaitable<result<>> meter_loop();

    [[nodiscard]] std::shared_ptr<processor_listener> admit(listener_registry::admission a);
    void join(const std::shared_ptr<processor_listener>& listener);
    /// Gives it the next stored objects. Returns whether more are left.
    [[nodiscard]] bool join_some(const std::shared_ptr<processor_listener>& listener, store_walk& stored);
    void resync_every(duration period, const std::shared_ptr<processor_listener>& listener);
    void set_alarm(time_point when, std::weak_ptr<void> whose, std::function<void()> call);
    void admit(const std::shared_ptr<object_waiter>& waiter);

    /// @param named  The namespaces in the call. @param join  The namespaces it waits for.
    [[nodiscard]] boost::asio::awaitable<result<>>
    change_namespaces(const std::vector<std::string>& named, std::vector<std::string> join,
                      const std::function<void(namespaces_core&)>& change);
    /// Adds and removes lanes until they match the wanted namespaces; then `begun` continues. Returns whether that takes
    /// further turns.
    bool settle_lanes(const std::shared_ptr<namespace_change>& begun);
    void add_lanes(const namespaces_core::change& change, const std::string& not_before);
    /// The newest version that the store shows.
    [[nodiscard]] std::string newest_stored() const;
    /// @param lists  See informer_lane::reporter.
    void report(std::size_t scope, const reflector_core::incident& what, std::uint64_t lists);

    const informer_settings settings_;
    strand_turns turns_;
    context_bound<end_of_context> context_end_;
    const decode_strand decoder_;
    const std::shared_ptr<store> store_;
    /// Null: all objects are kept.
    const std::shared_ptr<const share_selection> selection_;
    delta_fifo fifo_;
    listener_registry registry_;
    shared_processor listeners_;
    object_waiters waiters_;
    object_transformer transformer_;
    consistency_checker checker_;
    alarms alarms_;
    bool alarms_run_ = false;

    mutable checked_mutex mutex_;
    // Guarded by mutex_:
    bool started_ = false;
    bool stopping_ = false;
    bool stopped_ = false;
    bool events_over_ = false;
    std::optional<failure> ended_by_;
    std::optional<informer_meter> meter_;
    /// Its last update failed.
    bool meter_fails_ = false;

    lane_set lanes_;
    sync_monitor sync_;
    const std::shared_ptr<share_follower> follower_;
    delta_processor processor_;
    share_keeper keeper_;

    // Declared last, so that a task still running is detected before anything it uses is destroyed.
    task_group handlers_;
    task_group watches_;
};

/// Returns a few lines for people.
[[nodiscard]] std::string describe_informer(const informer_settings& settings, const lane_set& lanes,
                                            const informer_stats& s);

} // namespace kubecoro::detail
