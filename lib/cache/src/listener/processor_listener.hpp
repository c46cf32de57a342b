#pragma once

#include "listener/call_meter.hpp"
#include "listener/event_filter.hpp"
#include "listener/event_trace.hpp"
#include "listener/listener_core.hpp"
#include "listener/news_core.hpp"
#include "store/departures.hpp"
#include "store/sync_gate.hpp"

#include <kubecoro/base/detail/confinement.hpp>
#include <kubecoro/base/detail/context_bound.hpp>
#include <kubecoro/base/detail/line_limit.hpp>
#include <kubecoro/base/detail/wake_signal.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/cache/detail/change_stream.hpp>
#include <kubecoro/cache/event_handler.hpp>

#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kubecoro::detail {

/** One handler or subscription of an informer: the informer calls add(), the reader pop() and run().

    Thread safe, with one reader at a time, or `concurrency` workers on one strand. The lock is held only while handles
    are moved, never across a suspension or user code. */
class processor_listener : public std::enable_shared_from_this<processor_listener>
{
public:
    struct settings
    {
        std::uint64_t id = 0;
        std::string name = {};
        coalesce policy = coalesce::hybrid;
        std::size_t max_pending = 1024;
        std::size_t max_batch = 64;
        std::size_t concurrency = 1;
        /// The reader is a change_stream, which takes changes of the store only as a whole.
        bool whole = false;
        /// Deliver the stored objects first.
        bool initial = true;
        std::function<bool(const object&)> filter = {};
        duration slow_after{0};
        /// Deliver waiting events after the informer's stop.
        bool drains = false;
        /// Executor of the handler; empty for a subscription.
        kept_executor executor = {};
        std::shared_ptr<time_source> time = {};
        logger log = {};
        /// Counts this listener when it ends.
        departures left = {};
    };

    explicit processor_listener(settings s);
    processor_listener(const processor_listener&) = delete;
    processor_listener& operator=(const processor_listener&) = delete;
    ~processor_listener();

    // ---- the informer's side

    void add(std::span<const notification<object>> batch)
    {
        std::size_t taken = 0;
        auto most = std::numeric_limits<std::size_t>::max();
        (void)add(batch, taken, most);
    }
    /// The same from event `taken` on, which grows with each. Takes the number of events off `most`. Returns false when
    /// thousands of waiting events must be looked at first, see listener_core::index_some(): call it again in another
    /// turn.
    [[nodiscard]] bool add(std::span<const notification<object>> batch, std::size_t& taken, std::size_t& most);
    /// See listener_core::index_some().
    [[nodiscard]] bool index_some(std::size_t& most);
    /// Whether a resync may be added.
    [[nodiscard]] bool takes_resync() const;
    /// Whether it needs the objects that are stored when it joins.
    [[nodiscard]] bool wants_stored() const noexcept { return settings_.initial || filter_; }
    /// Marks the events added so far as the initial ones; the store is filled.
    void mark_initial();
    /// The change that the events added so far belong to is complete.
    void end_change()
    {
        if (settings_.whole) end_whole_change();
    }
    /// Number of complete changes. For settings::whole.
    [[nodiscard]] std::uint64_t changes() const;
    /// @param why  Null: it was stopped. Else the failure that has ended it.
    void informer_stopped(const failure* why = nullptr);
    [[nodiscard]] bool over() const;
    /// True for a subscription: events waiting at the stop are still delivered.
    [[nodiscard]] bool drains() const noexcept { return settings_.drains; }
    [[nodiscard]] std::uint64_t id() const noexcept { return settings_.id; }
    [[nodiscard]] const std::string& name() const noexcept { return settings_.name; }
    /// Holds why the store cannot be filled, until a retry may succeed.
    [[nodiscard]] const sync_gate& gate() const noexcept { return gate_; }

    // ---- the reader's side

    /// Returns the next batch of at most `max`; empty at the end, and then last_pop() has the reason.
    [[nodiscard]] boost::asio::awaitable<std::optional<std::vector<notification<object>>>> pop(std::size_t max);
    [[nodiscard]] boost::asio::awaitable<std::optional<std::vector<notification<object>>>> pop()
    {
        return pop(settings_.max_batch);
    }
    /// Returns all that waits of complete changes; empty at the end. For settings::whole, instead of pop().
    [[nodiscard]] boost::asio::awaitable<std::optional<whole_changes>> pop_whole();
    /// Returns why the last pop() was empty.
    [[nodiscard]] result<> last_pop() const;

    /// Returns the coroutines that feed a handler until the end, one for each concurrent call. Spawn them on
    /// settings::executor; the registration's removed() waits for them.
    [[nodiscard]] std::vector<boost::asio::awaitable<result<>>> run(event_handler<object> handler);

    void remove();
    /// Like remove(), with the reason that pop() and ended() then return.
    void end(failure why);
    [[nodiscard]] boost::asio::awaitable<result<>> removed();
    [[nodiscard]] boost::asio::awaitable<result<>> ended();

    [[nodiscard]] handler_stats stats() const;
    [[nodiscard]] bool initial_popped() const;

private:
    /// Shared by the frames of run(), started or not: after the last one is destroyed, no call can come.
    class running
    {
    public:
        explicit running(latch ended) : ended_(std::move(ended)) {}
        running(const running&) = delete;
        running& operator=(const running&) = delete;
        ~running() { ended_.settle({}); }

    private:
        latch ended_;
    };
    struct crew
    {
        crew(event_handler<object> h, latch ended) : handler(std::move(h)), mark(std::move(ended)) {}
        event_handler<object> handler;
        running mark;
    };
    using batch_type = std::vector<notification<object>>;

    static boost::asio::awaitable<result<>> run_in_order(std::shared_ptr<processor_listener> self,
                                                         std::shared_ptr<crew> with);
    static boost::asio::awaitable<result<>> work(std::shared_ptr<processor_listener> self, std::shared_ptr<crew> with,
                                                 std::size_t slot);
    static boost::asio::awaitable<std::optional<batch_type>> pop(std::shared_ptr<processor_listener> self,
                                                                 std::size_t max);
    static boost::asio::awaitable<std::optional<whole_changes>> pop_whole(std::shared_ptr<processor_listener> self);
    void begin_whole_change();
    void end_whole_change();
    /// Takes all events off the queue.
    [[nodiscard]] whole_changes take_whole();
    static boost::asio::awaitable<result<>> removed(std::shared_ptr<processor_listener> self);
    static boost::asio::awaitable<result<>> ended(std::shared_ptr<processor_listener> self);

    void take_in(std::span<const notification<object>> batch, std::size_t& taken);
    void close(bool drain, const failure* why = nullptr);
    void set_over();
    void wake(std::size_t events);
    void warn_if_overdue();
    [[nodiscard]] bool wants_turn();
    void open_gate();
    [[nodiscard]] bool has_pending() const;

    /// Returns the next event for a worker; nothing when it has to wait until it is woken.
    [[nodiscard]] std::optional<notification<object>> take(std::size_t slot, bool& over);
    void done(const object& o);

    /// Removes popped events that the filter rejects.
    void sieve();
    [[nodiscard]] bool passes(notification<object>& n);
    /// Asks the filter about objects of the baseline. Returns whether more are left.
    [[nodiscard]] bool assume_some();
    /// Frees events that were dropped. Returns whether more are left.
    [[nodiscard]] bool free_some();

    void called(std::size_t slot, const notification<object>& n, const result<>& outcome, time_point now);
    void report(const object& about, std::string_view what, const failure& why);
    /// Whether a failure is to be shown at level error.
    [[nodiscard]] bool is_news(std::string_view what, const failure& why, time_point now)
    {
        return told_.is_news(what, why, now) && failures_shown_.pass(settings_.log, now);
    }

    const settings settings_;
    const event_trace trace_;
    sync_gate gate_;
    wake_signal wake_;
    latch run_ended_;
    call_meter meter_;

    mutable checked_mutex mutex_;
    listener_core core_;
    bool over_ = false;
    bool has_run_ = false;
    result<> last_pop_;
    failure why_over_{cond::cancelled, "the handler or subscription has ended"};
    /// Objects stored before the reader joined, of which a reader with a filter gets no event.
    std::vector<object> baseline_;
    /// For settings::whole: whether the queue ends in the middle of a change, the number of complete ones, and those that were set
    /// aside when another one began.
    bool in_change_ = false;
    std::uint64_t changes_ = 0;
    std::optional<whole_changes> aside_;
    bool told_synced_ = false;
    std::uint64_t told_number_ = 0;
    /// Idle workers, and the signals that wake them.
    std::vector<std::size_t> idle_;
    std::vector<wake_signal> bells_;

    // Used by the reader only.
    event_filter filter_;
    /// The rest of the baseline that the filter has not been asked about.
    std::vector<object> to_assume_;
    /// Events that pop() has taken and not returned yet: as many as the filter was asked about, and let pass.
    batch_type popped_;
    std::size_t asked_ = 0;
    std::size_t passed_ = 0;
    news_core told_;
    /// A failure may be worded differently for each object.
    line_limit failures_shown_;
    std::size_t since_turn_ = 0;
    bool synced_ = false;
    bool gate_opened_ = false;

    /// Events already popped are not delivered any more.
    std::atomic<bool> cut_{false};
    std::atomic<std::uint64_t> delivered_{0};
    std::atomic<std::uint64_t> filtered_{0};
    std::atomic<std::uint64_t> failed_{0};
};

/// Result of awaiting an empty handle: cond::misconfigured with the message `what`.
[[nodiscard]] boost::asio::awaitable<result<>> of_nothing(std::string what);

} // namespace kubecoro::detail
