#pragma once

#include <kubecoro/base/backoff.hpp>

#include <chrono>
#include <cstdint>

namespace kubecoro {

/// How a reflector lists, watches and retries. The defaults suit every known cluster. Any duration may be
/// duration::max(), which means never.
struct reflector_policy
{
    /// Backoff between failures; resets after a healthy period (healthy_after), never because time has passed.
    backoff_policy backoff = {};
    /// Objects per LIST page. 0 = client-go's rule: 500, but no paging where a limit would force the server to read
    /// from etcd.
    std::uint32_t page_size = 0;
    /// Deadline for one page of a LIST; the client has stricter limits of its own. 0 = no limit.
    saturating_duration list_timeout = std::chrono::minutes{5};

    /// Lists with a watch that starts with the existing objects (WatchList) where the server supports it and the kind is
    /// read as protobuf: the same stream continues as the watch. false = always LIST.
    bool watch_list = true;
    /// The same for kinds that are read as JSON, such as custom resources. It costs the server 1.6 times the CPU of a LIST,
    /// and a server before 1.33 less memory. The first state is then as new as the server's storage; a first LIST may
    /// show an older one, as in client-go before streamed lists.
    bool watch_list_json = false;
    /// Streamed lists that may break in a row before a LIST replaces them. 0 counts as 1.
    std::uint32_t watch_list_attempts = 2;
    /// A streamed list that delivers neither an object nor its end for this long is abandoned for a LIST. The end alone
    /// may come 1.25 s after the last object. 0 = no limit.
    saturating_duration watch_list_silence = std::chrono::seconds{15};
    /// Deadline for a whole streamed list, with the same consequence. 0 = no limit.
    saturating_duration watch_list_timeout = std::chrono::minutes{5};
    /// After a server turned out not to stream lists of a resource, time until a streamed list is tried again.
    saturating_duration watch_list_retry = std::chrono::minutes{30};

    /// Deadline for the server to accept a watch. 0 = no limit.
    saturating_duration open_timeout = std::chrono::seconds{30};
    /// Each watch requests a timeout drawn uniformly from [min, max]. More than a year counts as a year.
    std::chrono::seconds watch_timeout_min{300};
    /// The longest watch that is asked for.
    std::chrono::seconds watch_timeout_max{600};
    /// A watch that exceeds its requested timeout by this is half-open: the reflector ends it and watches again.
    saturating_duration watch_grace = std::chrono::seconds{30};
    /// A watch without any event or bookmark for this long is ended as half-open and resumed. 0 = off.
    saturating_duration idle_timeout = std::chrono::minutes{3};
    /// Applies idle_timeout only to a watch that has had two bookmarks: such a server sends one a minute. false = to
    /// every watch; a server without bookmarks for unchanging resources is then queried at every idle_timeout.
    bool idle_needs_bookmarks = true;
    /// A watch that ends within this time without an event counts as refused: relist, with backoff.
    saturating_duration short_watch = std::chrono::seconds{1};
    /// A watch that the server ends with an internal error (500) is resumed, with backoff, for this long since the
    /// first such error in a row; then a relist follows. 0 = relist at once.
    saturating_duration internal_error_retry = {};
    /// A watch that lasted this long counts as healthy: the backoff resets.
    saturating_duration healthy_after = std::chrono::seconds{5};
    /// Backoff between probes for a resource that the server no longer serves (informer_state::parked).
    backoff_policy probe = {
        .initial = std::chrono::seconds{30}, .factor = 2.0, .cap = std::chrono::minutes{5}, .jitter = 0.5};
};

} // namespace kubecoro
