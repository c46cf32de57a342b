#pragma once
// Decides a reflector's next action: list, watch, wait. Follows client-go's reflector, except where that is wrong.

#include "listener/initial_events.hpp"
#include "reflector/parking_core.hpp"
#include "reflector/undecoded_keys.hpp"
#include "reflector/watch_list_ability.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/continue_tokens.hpp>
#include <kubecoro/api/options.hpp>
#include <kubecoro/base/backoff.hpp>
#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/cache/delta_fifo.hpp>
#include <kubecoro/cache/reflector_policy.hpp>
#include <kubecoro/cache/reflector_stats.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kubecoro::detail {

/// Required properties of a reflector's objects; empty = any.
struct reflector_expectation
{
    std::string kind = {};
    std::string api_version = {};
    std::string ns = {};
    /// Minimum version of the first list; empty = any.
    std::string not_before = {};
};

/// How a reflector hands a list to its sink.
enum class list_delivery
{
    /// At once, when it is complete.
    whole,
    /// Page by page as it arrives, so that memory does not depend on its length. Lists are not streamed, and always
    /// request the newest version: for any other, a server may answer with a single page from its cache.
    pages
};

/** The reflector without I/O: each input returns the next action, which the driver performs and reports back.

    on_cancel(), on_lost(), on_released(), want_list() and want_none() are allowed at any time; every other input only as the reply to
    its action. */
class reflector_core
{
public:
    /// Request a page; reply with on_list.
    struct do_list
    {
        list_options options;
    };
    /// Make this the content of the scope; reply with on_applied.
    struct do_replace
    {
        std::vector<object> items;
        std::string resource_version;
        /// Objects that exist as well: their stored state does not change, unless they are among the items.
        std::vector<left_out_object> left_out = {};
    };
    /// Part of the content of the scope (list_delivery::pages); reply with on_applied.
    struct do_page
    {
        std::vector<object> items;
        std::vector<left_out_object> left_out;
        /// A list begins: the pages of an unfinished one do not count.
        bool first = false;
        /// The list is complete: the scope has the objects of its pages and no others.
        bool last = false;
        /// The list's version.
        std::string resource_version = {};
    };
    /// Open a watch; reply with on_watch_opened.
    struct do_watch
    {
        watch_options options;
    };
    /// Await the next batch, at most until silent_until(); reply with on_events, on_ended_early,
    /// on_watch_failed or on_silence.
    struct do_read
    {
    };
    /// Apply these in order, after which the version is reached; reply with on_applied.
    struct do_apply
    {
        std::vector<delta> changes;
        std::string resource_version;
    };
    /// Close the watch if one is open, and wait; reply with on_wake.
    struct do_wait
    {
        duration delay;
        /// The resource is gone, and with it all its stored objects. Repeated until on_wake() replies.
        bool gone = false;
    };
    /// Wait for the turn to relist; reply with on_turn. The turn ends when state() is no longer `listing`.
    struct do_take_turn
    {
    };
    struct do_stop
    {
    };
    using action =
        std::variant<do_list, do_replace, do_page, do_watch, do_read, do_apply, do_wait, do_take_turn, do_stop>;

    /// A failure or another condition to report.
    struct incident
    {
        /// "list failed", "watch broke", "skipped": static text.
        std::string_view what;
        failure why;
        /// One event or item was skipped; the rest is not affected.
        bool skipped = false;
        /// The skipped state makes the stored object outdated: reported as a failure.
        bool outdated = false;
        /// An alternative is tried at once; the informer has no problem.
        bool detour = false;
        /// Another way to list is tried next, so that this is not yet why there is no list.
        bool passing = false;
    };

    /// @param ability  Shared by the reflectors of the resource; null = lists are not streamed.
    reflector_core(reflector_policy policy, reflector_expectation expected, std::uint64_t seed,
                   std::shared_ptr<watch_list_ability> ability = {}, list_delivery delivery = list_delivery::whole);

    [[nodiscard]] action start(time_point now);
    [[nodiscard]] action on_list(result<list_page> page, time_point now);
    [[nodiscard]] action on_watch_opened(const result<>& opened, time_point now);
    /// An empty batch is the regular end of the watch.
    [[nodiscard]] action on_events(std::vector<watch_event> batch, time_point now);
    /// The client ended the watch itself, see watch_stream::ended_early().
    [[nodiscard]] action on_ended_early(time_point now);
    /// The stream broke.
    [[nodiscard]] action on_watch_failed(const failure& why, time_point now);
    /// No batch arrived until silent_until().
    [[nodiscard]] action on_silence(time_point now);
    [[nodiscard]] action on_applied(const result<>& applied, time_point now);
    /// The driver could not read for a while, because its sink had no room: that time is not the watch's silence.
    void on_released(time_point since, time_point now);
    [[nodiscard]] action on_wake();
    [[nodiscard]] action on_turn(time_point now);
    /// The sink has lost content that it had taken over: relists with backoff.
    [[nodiscard]] action on_lost(const failure& why);
    [[nodiscard]] action on_cancel();
    /// The source keeps more objects than before: lists again as soon as a list or a batch in progress is applied. Watches
    /// end then; silent_until() is over at once.
    void want_list() noexcept
    {
        wants_list_ = true;
        wants_none_ = false;
    }
    /// The source keeps no objects until want_list(): a list asks for one, to learn the version and whether it is allowed.
    void want_none() noexcept { wants_none_ = true; }
    /// Whether the last list that began keeps none of its objects, as want_none() says.
    [[nodiscard]] bool lists_none() const noexcept { return list_.bare; }

    [[nodiscard]] const std::string& resource_version() const noexcept { return version_; }
    [[nodiscard]] informer_state state() const noexcept;
    /// While a watch is open: the deadline for its next batch. Changes with every batch.
    [[nodiscard]] time_point silent_until() const noexcept;
    [[nodiscard]] const reflector_stats& stats() const noexcept { return stats_; }
    /// Returns the incidents since the last call.
    [[nodiscard]] std::vector<incident> take_incidents();

private:
    enum class phase
    {
        idle,
        listing,
        replacing,
        paging,
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
        continue_tokens tokens;
        std::uint32_t limit = 0;
        std::uint32_t page = 1;
        bool full = false;
        bool streamed = false;
        /// One object is requested, and none is kept.
        bool bare = false;
        /// The first object of the first page.
        object first;
        std::vector<object> items;
        std::vector<left_out_object> left_out;
        /// Their places in a streamed list, which may take them back.
        boost::unordered_flat_map<object_key, std::size_t, object_key_hash, object_key_equal> left_out_at;
        /// Number of objects in the pages already delivered.
        std::size_t delivered = 0;
        /// Description of the first object of another kind.
        std::string other_kind = {};
    };
    struct watch_session
    {
        /// Time of opening, or of the end of the initial events.
        time_point opened;
        /// The requested end plus the grace period.
        time_point overdue;
        duration lasts;
        time_point last_heard;
        /// A streamed list whose end has not arrived.
        bool initial = false;
        /// Arrival time of the streamed list's last object.
        time_point last_listed;
        /// Bookmarks received, without the one that ends a streamed list.
        unsigned bookmarks = 0;
        /// Events received in the same batch as the end of the streamed list, after it.
        std::vector<watch_event> rest;
        /// Started at "" or "0" and received only ADDED so far: those come in key order, so their versions do not
        /// count.
        bool synthetic = false;
        bool moved = false;
        std::optional<failure> ends_with;
        std::string reached;
    };

    [[nodiscard]] action begin_list(std::optional<relist_reason> reason, time_point now);
    [[nodiscard]] action begin_pages();
    [[nodiscard]] action begin_bare_list();
    [[nodiscard]] action ask_page();
    [[nodiscard]] action deliver_page();
    [[nodiscard]] action list_failed(const failure& why, time_point now);
    /// True when the server cannot serve the requested version, so that the newest should be requested at once.
    [[nodiscard]] bool version_is_useless(const failure& why) const noexcept;
    [[nodiscard]] action list_newest(const failure& why, time_point now);

    // A watch that is refused because its version is too old (410).
    void note_refused();
    /// Whether a list of this version would lead to the same refusal.
    [[nodiscard]] bool was_refused(std::string_view version) const noexcept;
    /// The list has a version that a watch has refused: requests the newest.
    [[nodiscard]] action list_beyond(std::string_view version, time_point now);
    /// The content is current: a watch has delivered something, or a list has.
    void note_current(time_point now);

    // Streamed lists.
    [[nodiscard]] bool streams(time_point now) const noexcept;
    [[nodiscard]] action begin_stream();
    [[nodiscard]] action stream_refused(const failure& why, time_point now);
    [[nodiscard]] action on_initial_events(std::vector<watch_event> batch, time_point now);
    [[nodiscard]] action end_of_stream(std::string version, time_point now);
    [[nodiscard]] action stream_failed(const failure& why, time_point now);
    [[nodiscard]] action stream_broke(const failure& why);
    /// The server does not stream lists, provided the LIST that follows succeeds.
    [[nodiscard]] action not_offered(const failure& why);
    [[nodiscard]] action fall_back(const failure& why);
    void take_initial(watch_event& event, time_point now);
    void take_initial_left_out(const watch_event& event);
    /// A state of the object can be read, or there is none any more.
    void forget_left_out(object_key_view key);
    void note_listed(time_point now);

    [[nodiscard]] action list_wanted();
    [[nodiscard]] action read_on();
    [[nodiscard]] action begin_watch(bool reconnect);
    [[nodiscard]] do_watch new_watch(std::string version);
    /// A list, or a page of one, is in the sink.
    [[nodiscard]] action on_list_applied(time_point now);
    [[nodiscard]] action end_of_watch(time_point now);
    [[nodiscard]] action watch_error(const failure& why, time_point now);
    /// True for an internal error of the server that the policy retries without a relist.
    [[nodiscard]] bool sits_out(const failure& why, time_point now);
    [[nodiscard]] bool idle_counts() const noexcept;
    [[nodiscard]] action wait_then_list(const failure& why, relist_reason reason);
    [[nodiscard]] action wait_then_watch(const failure& why);
    [[nodiscard]] action wait_for(const failure& why);
    void note_watched(const watch_event& event, time_point now);
    void take_event(watch_event& event, std::vector<delta>& changes);
    void take_left_out(const watch_event& event, std::vector<delta>& changes);
    void pass_over(const watch_event& event);
    void take_version(std::string_view version);
    /// Takes an item of a list that could not be decoded.
    void list_left_out(left_out_object o);
    /// Reports the object. Returns false when it does not belong to this reflector.
    [[nodiscard]] bool accept(const left_out_object& o);
    /// Counts the left-out objects of the list as outdated.
    void note_left_out();
    [[nodiscard]] do_replace replace_by(std::vector<object> items, std::string version);
    [[nodiscard]] std::uint32_t page_size(std::string_view version) const;
    [[nodiscard]] std::string unfit(const object& o) const;
    [[nodiscard]] std::string other_kind(const object& o) const;
    /// Records an object of a list that is of another kind.
    void note_kind(const object& o);
    /// Fails when everything in a list was of another kind: the resource_type is wrong, and no later list can succeed.
    [[nodiscard]] std::optional<failure> wrong_kind(std::size_t fit) const;
    /// Returns why this page cannot belong to a finite list, or an empty text.
    [[nodiscard]] std::string endless(const list_page& page);
    void skip(std::string why, bool outdated = false);
    /// Counts an object with unknown fields, and reports the first one.
    void note_partial(const object& o);
    void fail(std::string_view what, const failure& why);
    void note_health(time_point now);
    [[nodiscard]] duration lived(time_point now) const { return now - watch_.opened; }

    reflector_policy policy_;
    reflector_expectation expected_;
    std::shared_ptr<watch_list_ability> ability_;
    list_delivery delivery_;
    backoff backoff_;
    parking_core parking_;
    random_source random_;

    phase phase_ = phase::idle;
    /// Everything up to this version is in the store.
    std::string version_;
    /// The version cannot be used in a LIST: request "" (client-go's isLastSyncResourceVersionUnavailable).
    bool unavailable_ = false;
    /// A list was applied: later lists are relists.
    bool listed_once_ = false;
    /// The last list with a limit and a version came in pages, and no bookmark since: the server has no watch cache for this
    /// resource, so it reads its storage with and without a limit.
    bool has_no_cache_ = false;
    /// The newest version that a watch has refused; empty = none, or something newer has been received since.
    std::string refused_;
    /// Time of the proof before the last list, while no watch has confirmed that list.
    std::optional<time_point> proved_before_;
    list_round list_;
    initial_events initial_;
    /// Number of objects in the last list.
    std::size_t listed_objects_ = 0;
    /// Number of streamed lists in a row that broke.
    std::uint32_t stream_failures_ = 0;
    /// A streamed list failed: use LIST until one has succeeded.
    bool list_plainly_ = false;
    /// The failure suggests that the server does not support streamed lists.
    bool doubted_ = false;
    watch_session watch_;
    /// Number of watches in a row that broke at once.
    unsigned broken_at_once_ = 0;
    /// Internal errors of watches are retried without a relist until then.
    std::optional<time_point> internal_until_;
    /// Action after the wait: list for this reason, or watch.
    std::optional<relist_reason> then_list_;
    /// want_list() was called since the last list began.
    bool wants_list_ = false;
    bool wants_none_ = false;
    /// The sink does not know yet that the resource is gone.
    bool gone_untold_ = false;
    undecoded_keys outdated_;
    reflector_stats stats_;
    std::vector<incident> incidents_;
};

} // namespace kubecoro::detail
