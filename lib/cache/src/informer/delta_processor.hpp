#pragma once

#include "informer/consistency_checker.hpp"
#include "informer/event_trace.hpp"
#include "informer/lane_set.hpp"
#include "informer/object_transformer.hpp"
#include "informer/sync_monitor.hpp"
#include "listener/shared_processor.hpp"
#include "store/store.hpp"
#include "waits/object_waiters.hpp"

#include <kubecoro/base/backoff.hpp>
#include <kubecoro/base/wake_signal.hpp>
#include <kubecoro/cache/delta_fifo.hpp>
#include <kubecoro/cache/stats.hpp>

#include <boost/asio/awaitable.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/** The consumer of an informer's FIFO: transforms, stores, announces, and then passes the version.

    A batch that fails is kept by the FIFO and processed again after a pause. Whatever the store has taken is announced
    before anything else happens, so that no handler misses a change. Confined to the informer's strand, except
    add_to(). */
class delta_processor
{
public:
    /// The parts of the informer that a batch reaches.
    struct parts
    {
        const informer_settings& settings;
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

    /// Processes the FIFO until cancelled, whatever throws.
    [[nodiscard]] boost::asio::awaitable<result<>> run();
    /// Brings stored objects into their final form, a few at a time, between other work on the strand.
    [[nodiscard]] boost::asio::awaitable<result<>> renew();
    /// Removes the objects of those lanes' namespaces that neither a wanted namespace nor a lane covers, and announces
    /// that.
    void take_out(const std::set<std::string>& left);
    /// Removes stored objects that the share does not have, some at a time, and announces that.
    [[nodiscard]] boost::asio::awaitable<result<>> sweep();
    /// Fills in the members about processing. Any thread.
    void add_to(informer_stats& s) const;

private:
    [[nodiscard]] boost::asio::awaitable<result<>> renew_when_asked();

    /// Changes of the store, and how far they have been distributed.
    struct announcement
    {
        shared_processor::delivery to;
        /// Why its objects were deleted.
        departure why = departure::deleted;
        std::vector<notification<object>> news = {};
    };

    [[nodiscard]] boost::asio::awaitable<result<>> process_batches();
    [[nodiscard]] boost::asio::awaitable<result<>> pause(failure why);
    [[nodiscard]] result<> process(std::vector<delta>& batch);
    [[nodiscard]] result<> apply(std::vector<delta>& batch);
    void apply_first(std::vector<delta>& batch, std::size_t count);
    [[nodiscard]] result<> replace(const delta& list);
    void empty(informer_lane& l);
    void note_stored(informer_lane& l) const;
    /// Whether the share does not have the key.
    [[nodiscard]] bool is_foreign(object_key_view key) const noexcept;
    void drop_foreign(replaced_list& list) const;
    void resync(std::uint64_t target);

    /// Transforms what is not prepared, in order. Returns how many deltas from the front are ready, with the failure of
    /// the next in `outcome`.
    [[nodiscard]] std::size_t transform(std::vector<delta>& batch, result<>& outcome);
    [[nodiscard]] result<> transform(replaced_list& list);
    [[nodiscard]] result<> transform(object& o);
    /// Adds the stored state of objects that the list leaves out.
    void keep_left_out(replaced_list& list) const;

    /// Makes room for an announcement. Call before the store changes: nothing may fail between the two.
    [[nodiscard]] std::vector<notification<object>>& begin_announcement(departure why = departure::deleted);
    void note_reason(deleted<object>& d, departure why) const;
    /// Distributes what has not been announced, in order.
    void announce();
    /// Passes the versions of the marks, each with the changes of its push.
    void pass_versions(std::span<const delta> deltas);
    void set_version(informer_lane& l, const std::string& version, std::span<const delta> by);
    void trace(std::string_view station, const std::vector<notification<object>>& news) const;

    parts with_;
    const event_trace trace_;
    backoff backoff_;
    std::deque<announcement> unannounced_;
    wake_signal renewal_;
    /// Ends a pause whose cause may have gone.
    wake_signal hurry_;

    std::array<std::atomic<std::uint64_t>, 3> announced_{};
    std::atomic<std::uint64_t> failures_{0};
};

} // namespace kubecoro::detail
