#pragma once

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/options.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/base/name_first.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <vector>

namespace kubecoro {

/** An open watch: batches of events until it ends.

    Owned by one coroutine at a time, not thread safe. Destroying it closes the connection without waiting. */
class watch_stream
{
public:
    virtual ~watch_stream() = default;

    /** The events that have arrived, at least one; an empty batch is the clean end of the watch.

        When a batch ends in broken input, its good events come first and the failure with the next call.
        @par Errors        corrupt, unreachable (broken in mid-answer), cancelled. After a failure or the end: the same
        again.
        @par Cancellation  terminal, partial: the stream is closed. */
    [[nodiscard]] virtual boost::asio::awaitable<result<std::vector<watch_event>>> next() = 0;
};

/** Where an informer gets its objects: the seam between cache and client.

    The client implements it over HTTP, testing with scripts. One source serves one resource in one scope. Calls may
    come from any coroutine; the reflector makes one at a time. The source outlives the operations on it. */
class list_watch_source
{
public:
    virtual ~list_watch_source() = default;

    /// One page. Errors: any condition; expired and too_large_resource_version mean what they
    /// mean to client-go's reflector.
    /// @par Cancellation  terminal, partial.
    [[nodiscard]] virtual boost::asio::awaitable<result<list_page>> list(list_options options) = 0;

    /// Completes when the server has accepted the watch. Errors: any condition.
    /// @par Cancellation  terminal, partial.
    [[nodiscard]] virtual boost::asio::awaitable<result<std::unique_ptr<watch_stream>>>
    watch(watch_options options) = 0;

    /** Whether watch() understands watch_options::send_initial_events, as far as the source itself goes; what the server
        can do shows when it is asked. False, as for scripts and fakes: informers list. */
    [[nodiscard]] virtual bool streams_lists() const noexcept { return false; }

    /// What is watched, for logs and failures: "pods in namespace web".
    [[nodiscard]] virtual std::string describe() const = 0;
};

/// Which objects of a resource a source covers. A regular value: equal scopes may share one watch.
struct source_scope
{
    /// Empty = all namespaces, or cluster scope.
    std::string ns = {};
    /// Canonical selector text, empty = all.
    std::string label_selector = {};
    /// Field selector; empty = all.
    std::string field_selector = {};
    /// As in informer_options.
    std::string shard_selector = {};
    /// How answers are decoded.
    decode_options decode = {};
    /// No more than kind, apiVersion and metadata is wanted.
    bool metadata_only = false;
    /// What the objects share; null = each stands alone. Compared by pointer.
    std::shared_ptr<object_encoding> encoding = {};
    /// What need not be decoded again; null = nothing is known. Compared by pointer.
    std::shared_ptr<const known_objects> known = {};
    KUBECORO_NAME_FIRST;
    friend bool operator==(const source_scope&, const source_scope&) = default;
};

/// What a factory uses that is not given its own: see factory_options.
struct provider_defaults
{
    /// Empty = real_clock().
    std::shared_ptr<time_source> time = {};
    logger log = {};
    /// Null = null_metrics().
    std::shared_ptr<metrics> numbers = {};
};

/** Opens sources: what an informer factory needs to know of a cluster. The client is one; so are scripts and fakes.
 * Thread safe. */
class source_provider
{
public:
    virtual ~source_provider() = default;
    /// Never null and never waits: errors show when the source is used. The source keeps what it needs of the provider
    /// alive.
    [[nodiscard]] virtual std::shared_ptr<list_watch_source> open(const resource_type& resource,
                                                                  const source_scope& scope) = 0;
    /// Where informers run unless told otherwise.
    [[nodiscard]] virtual boost::asio::any_io_executor executor() const = 0;
    [[nodiscard]] virtual provider_defaults defaults() const { return {}; }
};

} // namespace kubecoro
