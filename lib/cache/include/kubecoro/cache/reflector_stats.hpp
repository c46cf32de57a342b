#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kubecoro {

/// The phases of an informer.
enum class informer_state
{
    /// Not started.
    created,
    /// A list is in progress.
    listing,
    /// Following the server.
    watching,
    /// Waiting between a failure and the next attempt.
    waiting,
    /// The server no longer serves the resource: its objects have left the store, and the reflector probes from time to
    /// time for its return.
    parked,
    /// Waiting for its turn to list again: see relist_budget.
    queued,
    stopped,
    /// A failure of its own has ended it: see informer_stats::ended_by.
    failed
};
/// The state's name, as in metrics.
[[nodiscard]] std::string_view to_string(informer_state s) noexcept;

/// Why a reflector listed again instead of resuming its watch.
enum class relist_reason
{
    /// The version of the watch was gone (410).
    expired,
    /// The version of the list was ahead of the server (restored from a backup, or a lagging replica).
    too_large,
    /// The list itself failed.
    list_failed,
    /// The server refused the watch.
    watch_refused,
    /// The watch ended within a second without an event.
    short_watch,
    /// The stream could not be decoded.
    corrupt,
    /// The watch ended with a server error.
    server_error,
    /// Events could not be applied.
    apply_failed,
    /// The resource was not served (informer_state::parked): a probe for its return.
    parked,
    /// More objects belong to informer_options::share.
    share_grew
};
/// Number of values of relist_reason.
inline constexpr std::size_t relist_reasons = 10;
/// The reason's name, as in metrics.
[[nodiscard]] std::string_view to_string(relist_reason r) noexcept;

/// Counters of one reflector; summed over the namespaces of an informer.
struct reflector_stats
{
    /// LIST rounds started, and pages requested in them.
    std::uint64_t lists = 0;
    /// Pages that were asked for.
    std::uint64_t pages = 0;
    /// Lists of either kind started after the first successful one, by reason.
    std::array<std::uint64_t, relist_reasons> relists = {};
    /// Streamed lists started (WatchList).
    std::uint64_t watch_lists = 0;
    /// Streamed lists replaced by a LIST: refused, unanswered, or broken repeatedly.
    std::uint64_t fallbacks = 0;
    /// Watches the server accepted, including streamed lists.
    std::uint64_t watches = 0;
    /// Watches resumed at the last version, without a list, after a break, a deadline or a temporary refusal.
    std::uint64_t reconnects = 0;
    /// Watches the reflector ended because of silence: past their requested timeout, or by idle_timeout.
    std::uint64_t overdue_ends = 0;
    /// Watches that were ended because of silence.
    std::uint64_t idle_ends = 0;
    /// Bookmarks that were received.
    std::uint64_t bookmarks = 0;
    /// Events by their type on the wire, without those of streamed lists.
    std::uint64_t events_added = 0;
    /// Events of type MODIFIED.
    std::uint64_t events_modified = 0;
    /// Events of type DELETED.
    std::uint64_t events_deleted = 0;
    /// Events and list items skipped: wrong kind, no metadata, unknown type, larger than decode_limits allow.
    std::uint64_t skipped = 0;
    /// Events and list items with fields that this version does not know: see object::is_partial().
    std::uint64_t partial = 0;
    /// Gauge: objects whose newest state was skipped because it is too large. The store has an older one, or none.
    std::uint64_t outdated = 0;
    /// Gauge: 1 while the content is known to be old: the server has refused to watch from its version (410), and nothing newer
    /// has come. For an informer, the number of such namespaces.
    std::uint64_t behind = 0;
    /// When the content was last known to be current: the time of an event, a bookmark or a list. A list whose version a watch
    /// refuses does not count. For an informer, that of the namespace that is worst off.
    std::optional<time_point> current_at = {};
    /// Responses that could not be decoded.
    std::uint64_t decode_errors = 0;
    /// Failures of lists and watches.
    std::uint64_t failures = 0;
    /// How often the reflector was parked because the resource was not served.
    std::uint64_t parks = 0;
    /// The last failure.
    std::optional<failure> last_failure = {};

    /// Relists for any reason.
    [[nodiscard]] std::uint64_t relists_total() const noexcept;
    /// Lists started, of either kind.
    [[nodiscard]] std::uint64_t lists_total() const noexcept { return lists + watch_lists; }
};

} // namespace kubecoro
