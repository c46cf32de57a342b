#pragma once

#include <kubecoro/base/failure.hpp>

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
    /// A list is on its way.
    listing,
    /// Following the server.
    watching,
    /// Between a failure and the next attempt.
    waiting,
    /// The server does not know the resource any more: its objects have left the store, and we look from time to time
    /// whether it is back.
    parked,
    /// Waits for its turn to list again: see relist_budget.
    queued,
    stopped
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
    /// The stream could not be understood.
    corrupt,
    /// The watch ended with an error of the server.
    server_error,
    /// Events could not be applied.
    apply_failed,
    /// The resource had been gone (informer_state::parked): a look whether it is back.
    parked
};
/// Number of values of relist_reason.
inline constexpr std::size_t relist_reasons = 9;
/// The reason's name, as in metrics.
[[nodiscard]] std::string_view to_string(relist_reason r) noexcept;

/// What one reflector has done; summed over the namespaces of an informer.
struct reflector_stats
{
    /// LIST rounds begun, and pages asked for in them.
    std::uint64_t lists = 0;
    /// Pages that were asked for.
    std::uint64_t pages = 0;
    /// Lists of either kind begun after the first successful one, by reason.
    std::array<std::uint64_t, relist_reasons> relists = {};
    /// Streamed lists begun (WatchList), and how often a LIST had to be made instead.
    std::uint64_t watch_lists = 0;
    std::uint64_t fallbacks = 0;
    /// Watches the server accepted, streamed lists among them.
    std::uint64_t watches = 0;
    /// Watches begun again at the last version after a break, a deadline, or a refusal that passes: no list needed.
    std::uint64_t reconnects = 0;
    /// Watches we ended because of silence: past the end they had asked for, or by idle_timeout.
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
    /// Events and list items left out: wrong kind, no metadata, unknown type, larger than decode_limits allow.
    std::uint64_t skipped = 0;
    /// Now: objects whose newest state was left out because it is too large. The store has an older one, or none.
    std::uint64_t outdated = 0;
    /// Answers that could not be decoded.
    std::uint64_t decode_errors = 0;
    /// Failures of lists and watches.
    std::uint64_t failures = 0;
    /// How often the resource went away.
    std::uint64_t parks = 0;
    /// The last of them.
    std::optional<failure> last_failure = {};

    /// Relists for any reason.
    [[nodiscard]] std::uint64_t relists_total() const noexcept;
    /// Lists begun, of either kind.
    [[nodiscard]] std::uint64_t lists_total() const noexcept { return lists + watch_lists; }
};

} // namespace kubecoro
