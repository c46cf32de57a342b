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
    /// The server must accept a watch within this. 0 = no limit.
    duration open_timeout = std::chrono::seconds{30};
    /// A watch asks the server to end it after a time drawn uniformly from [min, max], anew for each watch. More than a
    /// year counts as a year.
    std::chrono::seconds watch_timeout_min{300};
    std::chrono::seconds watch_timeout_max{600};
    /// A watch that outlives what it asked for by this is half-open: we end it and watch again.
    duration watch_grace = std::chrono::seconds{30};
    /// A watch without any event or bookmark for this long is ended as half-open. 0 = off, the default: a server sends
    /// no bookmarks for a resource that does not change.
    duration idle_timeout{0};
    /// A watch that ends within this without an event counts as refused: relist, through the backoff.
    duration short_watch = std::chrono::seconds{1};
    /// A watch that lasted this long proves that things are well: the backoff starts over.
    duration healthy_after = std::chrono::seconds{5};
    /// Between looks whether a resource is back that the server does not know any more (informer_state::parked).
    backoff_policy probe = {
        .initial = std::chrono::seconds{30}, .factor = 2.0, .cap = std::chrono::minutes{5}, .jitter = 0.5};
};

} // namespace kubecoro
