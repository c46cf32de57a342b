#pragma once

#include "informer/consistency_checker.hpp"
#include "informer/lane_set.hpp"
#include "informer/object_transformer.hpp"
#include "informer/strand_turns.hpp"
#include "informer/sync_monitor.hpp"
#include "listener/event_trace.hpp"
#include "listener/shared_processor.hpp"
#include "store/list_change.hpp"
#include "store/store.hpp"
#include "store/store_walk.hpp"
#include "waits/object_waiters.hpp"

#include <kubecoro/base/backoff.hpp>
#include <kubecoro/base/detail/wake_signal.hpp>
#include <kubecoro/cache/delta_fifo.hpp>
#include <kubecoro/cache/stats.hpp>

#include <boost/asio/awaitable.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/** The consumer of an informer's FIFO: transforms, stores, announces, and then passes the version.

    A batch that a transform refuses is kept by the FIFO and processed again after a pause. Any other failure ends the
    processing, and with it the informer. A list, or many events for many handlers, takes several turns of the strand.
    Confined to the informer's strand, except add_to(). */
class delta_processor
{
public:
    /// The parts of the informer that a batch reaches.
    struct parts
    {
        const informer_settings& settings;
        strand_turns& turns;
        delta_fifo fifo;
        std::shared_ptr<store> content;
        lane_set& lanes;
        shared_processor& listeners;
        object_waiters& waiters;
        sync_monitor& sync;
        consistency_checker& checker;
        object_transformer& transformer;
        /// Told of lists that are stored. Null = all objects are kept.
        std::shared_ptr<share_follower> follower = {};
    };
    explicit delta_processor(parts p);

    /// Processes the FIFO until cancelled. An exception ends it.
    [[nodiscard]] boost::asio::awaitable<result<>> run();
    /// Brings stored objects into their final form, a few at a time, between other work on the strand.
    [[nodiscard]] boost::asio::awaitable<result<>> renew();
    /// Returns work for strand_turns: removes the objects of those lanes' namespaces that neither a wanted namespace nor a
    /// lane covers, and announces that.
    [[nodiscard]] std::function<bool()> take_out(const std::vector<std::string>& left);
    /// Removes stored objects that the share does not have, some at a time, and announces that.
    [[nodiscard]] boost::asio::awaitable<result<>> sweep();
    /// The newest version that the store shows beyond those of the lanes: that of a batch that is processed in part.
    /// Empty = none.
    [[nodiscard]] const std::string& newest_unmarked() const noexcept { return newest_unmarked_; }
    /// Fills in the members about processing. Any thread.
    void add_to(informer_stats& s) const;

private:
    /// Changes of the store, and how far they have been distributed.
    struct announcement
    {
        shared_processor::delivery to;
        /// Why its objects were deleted.
        departure why = departure::deleted;
        std::vector<notification<object>> news = {};
        /// Those before are distributed, and those before `begun` are ready for it.
        std::size_t at = 0;
        std::size_t begun = 0;
    };
    /// A batch that takes several turns, and how far it has come.
    struct progress
    {
        // Events: applied, with the number of deltas, and the failure of the next.
        std::optional<std::size_t> applied = {};
        result<> outcome = {};
        // A resync, or the copy for a consistency check.
        std::unique_ptr<store_walk> walk = {};
        std::vector<kept_object> kept = {};
        // A list: its items that were looked at, and those that the share has.
        bool begun = false;
        bool sifted = false;
        bool transformed = false;
        std::size_t looked_at = 0;
        std::size_t ours = 0;
        std::size_t prepared = 0;
        std::unique_ptr<list_change> change = {};
        bool made = false;
        bool over = false;
    };

    [[nodiscard]] boost::asio::awaitable<result<>> pause(failure why);
    [[nodiscard]] boost::asio::awaitable<result<>> next_turn();
    [[nodiscard]] result<> process(std::vector<delta>& batch);

    // Parts of a batch: they take the number of objects that they handle off `most`. False: there is more to do.
    [[nodiscard]] result<bool> process_some(std::vector<delta>& batch, std::size_t& most);
    [[nodiscard]] result<bool> apply(std::vector<delta>& batch, std::size_t& most);
    [[nodiscard]] result<bool> replace(const delta& list, std::size_t& most);
    [[nodiscard]] bool empty(informer_lane& l, std::size_t& most);
    [[nodiscard]] bool resync(std::uint64_t target, std::size_t& most);
    [[nodiscard]] bool drop_foreign(delta::replaced_list& list, std::size_t& most);
    [[nodiscard]] result<bool> transform(delta::replaced_list& list, std::size_t& most);
    /// Adds the stored state of objects that the list leaves out.
    [[nodiscard]] bool keep_left_out(delta::replaced_list& list, std::size_t& most) const;
    [[nodiscard]] bool check(informer_lane& l, const std::string& version, std::size_t& most);
    /// Makes the change and announces it.
    [[nodiscard]] bool make(list_change& change, bool& made, departure why, std::size_t& most);
    /// Distributes what has not been announced, in order.
    [[nodiscard]] bool announce(std::size_t& most);

    void apply_first(std::vector<delta>& batch, std::size_t count);
    void note_unmarked(const delta& d);
    void note_stored(informer_lane& l) const;
    /// Whether the share does not have the key.
    [[nodiscard]] bool is_foreign(object_key_view key) const noexcept;
    /// Transforms what is not prepared, in order. Returns how many deltas from the front are ready, with the failure of
    /// the next in `outcome`.
    [[nodiscard]] std::size_t transform(std::vector<delta>& batch, result<>& outcome);
    [[nodiscard]] result<> transform(object& o);

    /// Makes room for an announcement. Call before the store changes: nothing may fail between the two.
    [[nodiscard]] std::vector<notification<object>>& begin_announcement(departure why = departure::deleted);
    void note_reason(deleted<object>& d, departure why) const;
    void begin(announcement& a);
    void end(announcement& a);
    /// Passes the versions of the marks, each with the changes of its push.
    void pass_versions(std::span<const delta> deltas);
    void set_version(informer_lane& l, const std::string& version, std::span<const delta> by);
    void trace(std::string_view station, std::span<const notification<object>> news) const;

    parts with_;
    const event_trace trace_;
    backoff backoff_;
    std::deque<announcement> unannounced_;
    progress now_;
    std::string newest_unmarked_;
    /// Whether this processor has the turn, and whether the batch in hand needs a further one.
    bool has_turn_ = false;
    bool unfinished_ = false;
    /// It has waited for its turn.
    bool is_next_ = false;
    const std::vector<object> no_items_;
    wake_signal renewal_;
    /// Ends a pause whose cause may have gone.
    wake_signal hurry_;

    std::array<std::atomic<std::uint64_t>, 3> announced_{};
    std::atomic<std::uint64_t> failures_{0};
};

} // namespace kubecoro::detail
