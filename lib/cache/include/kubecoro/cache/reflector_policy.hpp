#pragma once

#include <kubecoro/base/backoff.hpp>

#include <chrono>
#include <cstdint>

namespace kubecoro {

/// How a reflector lists, watches and retries. The defaults suit every cluster we know. Any duration may be
/// duration::max(), which is "never".
struct reflector_policy
{
    /// Between failures; starts over after health (healthy_after), never because time has passed.
    backoff_policy backoff = {};
    /// Objects per LIST page. 0 = client-go's rule: 500, but no paging where a limit would force the server to read
    /// etcd.
    std::uint32_t page_size = 0;
    /// One page of a LIST must be complete within this; the client has closer limits of its own. 0 = no limit.
    duration list_timeout = std::chrono::minutes{5};

    /// List by a watch that begins with the objects there are (WatchList) where the server offers it: costs the server
    /// less, and the same stream goes on as the watch. false = always LIST.
    bool watch_list = true;
    /// Streamed lists that may break in a row before a LIST is made instead. 0 counts as 1.
    std::uint32_t watch_list_attempts = 2;
    /// A streamed list that has brought no object for this long, nor its end, is given up for a LIST. The end may
    /// come 1.25 s after the last object by itself. 0 = no limit.
    duration watch_list_silence = std::chrono::seconds{15};
    /// The same for a streamed list that has not ended after this. 0 = no limit.
    duration watch_list_timeout = std::chrono::minutes{5};
    /// A server that turned out not to stream lists of a resource is not asked again for this long.
    duration watch_list_retry = std::chrono::minutes{30};

    /// The server must accept a watch within this. 0 = no limit.
    duration open_timeout = std::chrono::seconds{30};
    /// A watch asks the server to end it after a time drawn uniformly from [min, max], anew for each watch. More than a
    /// year counts as a year.
    std::chrono::seconds watch_timeout_min{300};
    /// The longest watch that is asked for.
    std::chrono::seconds watch_timeout_max{600};
    /// A watch that outlives what it asked for by this is half-open: we end it and watch again.
    duration watch_grace = std::chrono::seconds{30};
    /// A watch without any event or bookmark for this long is ended as half-open, and resumed. 0 = off.
    duration idle_timeout = std::chrono::minutes{3};
    /// idle_timeout counts only on a watch that has had two bookmarks: such a server sends one a minute. false = on
    /// every watch; a server that sends no bookmarks for what does not change is then asked again at every idle_timeout.
    bool idle_needs_bookmarks = true;
    /// A watch that ends within this without an event counts as refused: relist, through the backoff.
    duration short_watch = std::chrono::seconds{1};
    /// A watch that the server ends with an internal error (500) is resumed, through the backoff, for this long since
    /// the first of such errors in a row; then comes a relist. 0 = relist at once.
    duration internal_error_retry{0};
    /// A watch that lasted this long proves that things are well: the backoff starts over.
    duration healthy_after = std::chrono::seconds{5};
    /// Between looks whether a resource is back that the server does not know any more (informer_state::parked).
    backoff_policy probe = {
        .initial = std::chrono::seconds{30}, .factor = 2.0, .cap = std::chrono::minutes{5}, .jitter = 0.5};
};

} // namespace kubecoro
