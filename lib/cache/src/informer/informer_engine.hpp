#pragma once

#include "fifo/delta_fifo_core.hpp"
#include "informer/alarms.hpp"
#include "informer/consistency_checker.hpp"
#include "informer/event_trace.hpp"
#include "informer/informer_lane.hpp"
#include "informer/informer_meter.hpp"
#include "informer/namespaces_core.hpp"
#include "informer/object_transformer.hpp"
#include "informer/sync_gate.hpp"
#include "listener/listener_registry.hpp"
#include "listener/shared_processor.hpp"
#include "store/store.hpp"
#include "waits/object_waiters.hpp"

#include <kubecoro/base/context_bound.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/cache/stats.hpp>
#include <kubecoro/cache/subscription.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/** The implementation of shared_informer: the reflectors, the FIFO, the store, the listeners, and the order in which
    they start and stop.

    The reflectors, the FIFO, store writes and the distribution are confined to one strand; data that other threads read
    is guarded by mutex_. The strand never waits for a handler. */
class informer_engine final : public reflector_sink, public std::enable_shared_from_this<informer_engine>
{
public:
    explicit informer_engine(informer_settings s);

    // ---- any thread

    /// Stops with the context, if that ends first. Call before any other function.
    void end_with_context();
    void start();
    [[nodiscard]] std::shared_ptr<processor_listener> add_handler(event_handler handler, handler_options options);
    [[nodiscard]] std::shared_ptr<processor_listener> add_subscription(subscription_options options);
    /// Reports the states of its key to the waiter from now on; after `limit` it ends with cond::timed_out. 0 = no
    /// limit.
    void admit_waiter(const std::shared_ptr<object_waiter>& waiter, duration limit);
    /// Calls `call` on the strand after `limit` if `whose` still exists.
    void end_after(duration limit, std::weak_ptr<void> whose, std::function<void()> call);
    result<> add_index(std::string name, index_function f);
    [[nodiscard]] std::shared_ptr<const store> content() const noexcept { return store_; }
    [[nodiscard]] const sync_gate& gate() const noexcept { return gate_; }
    [[nodiscard]] const resource_type& resource() const noexcept { return settings_.resource; }
    // See shared_informer.
    [[nodiscard]] boost::asio::awaitable<result<>> set_namespaces(std::vector<std::string> namespaces);
    [[nodiscard]] boost::asio::awaitable<result<>> add_namespace(const std::string& ns);
    [[nodiscard]] boost::asio::awaitable<result<>> remove_namespace(const std::string& ns);
    /// Empty = all, or none: see covers_just().
    [[nodiscard]] std::vector<std::string> namespaces() const;
    [[nodiscard]] bool covers_just(const namespaces_core& wanted) const;
    void retry_now();
    [[nodiscard]] bool transforms() const noexcept { return static_cast<bool>(transformer_); }
    [[nodiscard]] const std::string& label() const noexcept { return settings_.label; }
    [[nodiscard]] informer_state state() const;
    [[nodiscard]] std::string last_resource_version() const;
    [[nodiscard]] informer_stats stats() const;
    [[nodiscard]] std::string describe() const;

    /// Requests the stop of everything; returns at once.
    void request_stop();
    /// Stops first the watches, then the handlers; completes when nothing runs. Any number of callers.
    [[nodiscard]] static boost::asio::awaitable<result<>> stop(std::shared_ptr<informer_engine> self);
    /// Called when the owner was destroyed without a stop: stops, and keeps the engine alive until nothing runs.
    static void abandon(std::shared_ptr<informer_engine> self);

    // ---- called by the reflectors, on the strand

    result<> replace(std::size_t scope, std::vector<object> items, std::string resource_version,
                     const std::vector<left_out_object>& left_out) override;
    result<> apply(std::size_t scope, std::vector<delta> changes, std::string resource_version) override;
    void vanished(std::size_t scope) override;
    void report(std::size_t scope, const reflector_core::incident& what) override;
    void progress(std::size_t scope, const reflector_core& core) override;

private:
    struct lane_change;
    class end_of_context;

    /// @param named  The namespaces in the call. @param join  The namespaces it waits for.
    [[nodiscard]] boost::asio::awaitable<result<>>
    change_namespaces(const std::vector<std::string>& named, std::vector<std::string> join,
                      const std::function<void(namespaces_core&)>& change);
    static boost::asio::awaitable<result<>> await_change(std::shared_ptr<lane_change> change);
    /// Adds and removes lanes until they match the wanted namespaces.
    result<> settle_lanes();
    /// Collects what a change waits for. Fails when a namespace was removed again before the change was processed.
    [[nodiscard]] result<> collect(const std::vector<std::string>& join, lane_change& out) const;
    void add_lane(std::string ns, std::string not_before = {});
    void drop_lane(const std::string& ns);
    /// Removes the objects of a lane from the store that no wanted namespace covers.
    [[nodiscard]] std::vector<notification> take_out(const std::string& ns);
    /// Requires mutex_.
    void run(const std::shared_ptr<informer_lane>& lane);
    [[nodiscard]] static boost::asio::awaitable<result<>> follow(std::shared_ptr<informer_lane> lane);
    /// Returns null when the lane was removed.
    [[nodiscard]] informer_lane* lane(std::size_t scope) const;

    /// Posts to the strand. Returns false when the strand's context has ended.
    template<class F>
    bool on_strand(F&& f) const
    {
        const auto strand = strand_.get();
        if (strand) boost::asio::post(strand, std::forward<F>(f));
        return static_cast<bool>(strand);
    }

    void end_handlers();
    void tell_end();
    [[nodiscard]] std::shared_ptr<processor_listener> admit(listener_registry::admission a);
    void join(std::shared_ptr<processor_listener> listener);
    void resync_every(duration period, const std::shared_ptr<processor_listener>& listener);
    [[nodiscard]] boost::asio::awaitable<result<>> keep_alarms();
    void set_alarm(time_point when, std::weak_ptr<void> whose, std::function<void()> call);

    /// Brings stored objects into their final form, a few at a time, between other work on the strand.
    [[nodiscard]] boost::asio::awaitable<result<>> renew_loop();

    [[nodiscard]] boost::asio::awaitable<result<>> meter_loop();
    void transform(object& o) const;
    void pump();
    void process(const std::vector<delta>& batch);
    void resync(std::uint64_t target);
    /// Called after a change of the store: wakes the waits for the version. `by` are the deltas that brought it.
    void set_version(std::size_t scope, const std::string& version, std::span<const delta> by = {});
    void tell_change(const informer_lane& l, const reflector_core& core) const;
    void tell_silence(const informer_lane& l, std::string_view limit) const;
    void announce(const std::vector<notification>& batch);
    void for_trace(std::string_view station, const std::vector<notification>& batch) const;
    void announce_gone(std::vector<notification> gone, departure why);
    void lane_filled(informer_lane& l);
    void settle_sync();
    void set_blocked(informer_lane& l, std::optional<failure> why);
    /// Reports to all waits for the sync that it is blocked, or may succeed again.
    void tell_blocked();

    const informer_settings settings_;
    const event_trace trace_;
    kept_executor strand_;
    context_bound<end_of_context> context_end_;
    /// Written on the strand by the decoders of all lanes.
    std::shared_ptr<object_encoding> encoding_;
    std::shared_ptr<store> store_;
    const object_transformer transformer_;
    consistency_checker checker_;
    sync_gate gate_;
    /// Changed on the strand with mutex_ held; by id, which is never reused.
    std::map<std::size_t, std::shared_ptr<informer_lane>> lanes_;
    listener_registry registry_;
    object_waiters waiters_;

    // Strand-confined.
    std::vector<std::weak_ptr<informer_lane>> leaving_;
    delta_fifo_core fifo_;
    shared_processor processor_;
    alarms alarms_;
    bool alarms_run_ = false;
    bool filled_ = false;
    wake_signal renewal_;

    mutable std::mutex mutex_;
    bool started_ = false;
    bool stopping_ = false;
    bool stopped_ = false;
    namespaces_core wanted_;
    std::optional<informer_meter> meter_;
    /// Statistics of removed lanes.
    reflector_stats past_;
    time_point started_at_{};
    std::optional<duration> time_to_sync_;
    std::uint64_t added_ = 0;
    std::uint64_t updated_ = 0;
    std::uint64_t deleted_ = 0;

    // Declared last, so that a task still running is detected before anything it uses is destroyed.
    task_group handlers_;
    task_group watches_;
};

} // namespace kubecoro::detail
