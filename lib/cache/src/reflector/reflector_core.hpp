#pragma once
// Decides what a reflector does next: list, watch, wait. The rules are those of client-go's reflector, where they are right.

#include "fifo/delta.hpp"
#include "listener/initial_events.hpp"
#include "reflector/outdated_keys.hpp"
#include "reflector/parking_core.hpp"
#include "reflector/watch_list_ability.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/options.hpp>
#include <kubecoro/base/backoff.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/cache/reflector_policy.hpp>
#include <kubecoro/cache/reflector_stats.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kubecoro::detail {

/// What the objects of a reflector must look like; empty means anything.
struct reflector_expectation
{
    std::string kind = {};
    std::string api_version = {};
    std::string ns = {};
    /// The first list is not to be older than this; empty = any will do.
    std::string not_before = {};
};

/** The reflector without its I/O: each input returns the next action, and the driver performs it and reports back.

    on_cancel() and on_fault() are allowed at any moment; every other input only as the answer to its action. */
class reflector_core
{
public:
    /// Ask for a page; answer with on_list.
    struct do_list
    {
        list_options options;
    };
    /// Make this the content of the scope; answer with on_applied.
    struct do_replace
    {
        std::vector<object> items;
        std::string resource_version;
        /// What the server has as well: of these nothing changes, unless they are among the items.
        std::vector<left_out_object> left_out = {};
    };
    /// Open a watch; answer with on_watch_opened.
    struct do_watch
    {
        watch_options options;
    };
    /// Await the next batch, no longer than until silent_until(); answer with on_events, on_watch_failed or on_silence.
    struct do_read
    {
    };
    /// Apply these in order, then the version is reached; answer with on_applied.
    struct do_apply
    {
        std::vector<delta> changes;
        std::string resource_version;
    };
    /// Close the watch if one is open and wait; answer with on_wake.
    struct do_wait
    {
        duration delay;
        /// The resource is gone, and with it everything that is stored of it.
        bool gone = false;
    };
    /// Wait for the turn to list again; answer with on_turn. It is over when state() is no longer `listing`.
    struct do_take_turn
    {
    };
    struct do_stop
    {
    };
    using action = std::variant<do_list, do_replace, do_watch, do_read, do_apply, do_wait, do_take_turn, do_stop>;

    /// Something to tell people about.
    struct incident
    {
        /// "list failed", "watch broke", "skipped": static text.
        std::string_view what;
        failure why;
        /// One event or item was left out; everything else goes on.
        bool skipped = false;
        /// What was left out is the state of an object, which is older in the store from now on: a failure to tell of.
        bool outdated = false;
        /// Another way is taken at once; nothing is wrong with the informer.
        bool detour = false;
    };

    /// @param ability  Of the resource, shared; null = lists are not streamed.
    reflector_core(reflector_policy policy, reflector_expectation expected, std::uint64_t seed,
                   std::shared_ptr<watch_list_ability> ability = {});

    [[nodiscard]] action start(time_point now);
    [[nodiscard]] action on_list(result<list_page> page, time_point now);
    [[nodiscard]] action on_watch_opened(const result<>& opened, time_point now);
    /// An empty batch is the clean end of the watch.
    [[nodiscard]] action on_events(std::vector<watch_event> batch, time_point now);
    /// The stream broke.
    [[nodiscard]] action on_watch_failed(const failure& why, time_point now);
    /// Nothing came until silent_until().
    [[nodiscard]] action on_silence(time_point now);
    [[nodiscard]] action on_applied(const result<>& applied, time_point now);
    [[nodiscard]] action on_wake();
    [[nodiscard]] action on_turn(time_point now);
    /// An exception has ended what was being done, an input of this class included: lists again through the backoff.
    [[nodiscard]] action on_fault(const failure& why);
    [[nodiscard]] action on_cancel();

    [[nodiscard]] const std::string& resource_version() const noexcept { return version_; }
    [[nodiscard]] informer_state state() const noexcept;
    /// While a watch is open: how long to wait for its next batch. Moves with every batch.
    [[nodiscard]] time_point silent_until() const noexcept;
    [[nodiscard]] const reflector_stats& stats() const noexcept { return stats_; }
    /// What happened since the last call.
    [[nodiscard]] std::vector<incident> take_incidents();

private:
    enum class phase
    {
        idle,
        listing,
        replacing,
        opening,
        reading,
        applying,
        waiting,
        queued,
        stopped
    };
    /// One LIST round: a chain of pages from one snapshot.
    struct list_round
    {
        std::string version;
        std::string first_version;
        std::string token;
        std::uint32_t limit = 0;
        std::uint32_t page = 1;
        bool full = false;
        bool streamed = false;
        /// What the first page began with.
        object first;
        std::vector<object> items;
        std::vector<left_out_object> left_out;
        /// Of the first object of another kind.
        std::string other_kind = {};
    };
    struct watch_session
    {
        /// Or its initial events were over.
        time_point opened;
        /// The end it asked for, and some grace.
        time_point overdue;
        duration lasts;
        time_point last_heard;
        /// A streamed list: what has come is not the whole yet.
        bool initial = false;
        /// The last object of the streamed list.
        time_point last_listed;
        /// Without the one that ends a streamed list.
        unsigned bookmarks = 0;
        /// What came in one piece with the end of the streamed list.
        std::vector<watch_event> rest;
        /// Began at "" or "0" and has sent nothing but ADDED yet: those come in key order and say nothing of versions.
        bool synthetic = false;
        bool moved = false;
        std::optional<failure> ends_with;
        std::string reached;
    };

    [[nodiscard]] action begin_list(std::optional<relist_reason> reason, time_point now);
    [[nodiscard]] action begin_pages();
    [[nodiscard]] action ask_page();
    [[nodiscard]] action list_failed(const failure& why, time_point now);
    /// What was asked for is of no use to this server: ask for the newest at once, where that is not what was asked.
    [[nodiscard]] bool version_is_useless(const failure& why) const noexcept;
    [[nodiscard]] action list_newest(const failure& why, time_point now);

    // A list as a stream.
    [[nodiscard]] bool streams(time_point now) const noexcept;
    [[nodiscard]] action begin_stream();
    [[nodiscard]] action stream_refused(const failure& why, time_point now);
    [[nodiscard]] action on_initial_events(std::vector<watch_event> batch, time_point now);
    [[nodiscard]] action end_of_stream(std::string version, time_point now);
    [[nodiscard]] action stream_failed(const failure& why, time_point now);
    [[nodiscard]] action stream_broke(const failure& why);
    /// The server does not stream lists, if the list that follows succeeds.
    [[nodiscard]] action not_offered(const failure& why);
    [[nodiscard]] action fall_back(const failure& why);
    void take_initial(watch_event& event, time_point now);
    void note_listed(time_point now);

    [[nodiscard]] action begin_watch(bool reconnect);
    [[nodiscard]] do_watch new_watch(std::string version);
    [[nodiscard]] action end_of_watch(time_point now);
    [[nodiscard]] action watch_error(const failure& why, time_point now);
    /// An internal error of the server that policy says to sit out.
    [[nodiscard]] bool sits_out(const failure& why, time_point now);
    [[nodiscard]] bool idle_counts() const noexcept;
    [[nodiscard]] action wait_then_list(const failure& why, relist_reason reason);
    [[nodiscard]] action wait_then_watch(const failure& why);
    [[nodiscard]] action wait_for(const failure& why);
    void take_event(watch_event& event, std::vector<delta>& changes);
    void take_left_out(const watch_event& event, std::vector<delta>& changes);
    void take_version(std::string_view version);
    /// An item of a list that could not be read.
    void list_left_out(left_out_object o);
    /// Tells of it. False when it does not belong here.
    [[nodiscard]] bool accept(const left_out_object& o);
    [[nodiscard]] do_replace replace_by(std::vector<object> items, std::string version);
    [[nodiscard]] std::uint32_t page_size(std::string_view version) const;
    [[nodiscard]] std::string unfit(const object& o) const;
    [[nodiscard]] std::string other_kind(const object& o) const;
    /// Notes an object of a list that is of another kind.
    void note_kind(const object& o);
    /// Everything in a list was of another kind: the resource_type is wrong, and no later list will be better.
    [[nodiscard]] std::optional<failure> wrong_kind(std::size_t fit) const;
    /// Why this page cannot belong to a list that ends, or nothing.
    [[nodiscard]] std::string endless(const list_page& page) const;
    void skip(std::string why, bool outdated = false);
    void fail(std::string_view what, const failure& why);
    void note_health(time_point now);
    [[nodiscard]] duration lived(time_point now) const { return now - watch_.opened; }

    reflector_policy policy_;
    reflector_expectation expected_;
    std::shared_ptr<watch_list_ability> ability_;
    backoff backoff_;
    parking_core parking_;
    random_source random_;

    phase phase_ = phase::idle;
    /// The version everything up to which is in the store.
    std::string version_;
    /// The version is of no use to a LIST: ask for "" (client-go's isLastSyncResourceVersionUnavailable).
    bool unavailable_ = false;
    /// A list was applied: what is listed from now on is a relist.
    bool listed_once_ = false;
    /// A LIST at "0" came in pages: the server has no watch cache for this resource.
    bool paginated_at_zero_ = false;
    list_round list_;
    initial_events initial_;
    /// How many objects the last list had.
    std::size_t listed_objects_ = 0;
    /// Streamed lists in a row that broke.
    std::uint32_t stream_failures_ = 0;
    /// A streamed list was of no use: LIST until that has worked once.
    bool list_plainly_ = false;
    /// And it looked as if the server could not.
    bool doubted_ = false;
    watch_session watch_;
    /// Internal errors of watches are sat out until then.
    std::optional<time_point> internal_until_;
    /// After the wait: list for this reason, or watch.
    std::optional<relist_reason> then_list_;
    outdated_keys outdated_;
    reflector_stats stats_;
    std::vector<incident> incidents_;
};

} // namespace kubecoro::detail
