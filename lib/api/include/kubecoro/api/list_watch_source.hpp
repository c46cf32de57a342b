#pragma once

#include <kubecoro/api/detail/decoders.hpp>
#include <kubecoro/api/options.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/metrics.hpp>
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

    /** Returns the events that have arrived, at least one. An empty batch is the clean end of the watch.

        When a batch ends in broken input, the events before it are returned first and the failure with the next call.
        @par Errors        corrupt, unreachable (broken in mid-answer), cancelled. After a failure or the end: the same
        again.
        @par Cancellation  terminal, partial: the stream is closed. */
    [[nodiscard]] virtual boost::asio::awaitable<result<std::vector<watch_event>>> next() = 0;

    /// Whether the clean end was the client's own doing: newer certificates replace those of the connection. It says nothing
    /// about the server then.
    [[nodiscard]] virtual bool ended_early() const noexcept { return false; }
};

/** The source of an informer's objects: the seam between cache and client.

    Implemented by the client over HTTP, and by scripts in tests. One source serves one resource in one scope. Any
    coroutine may call; the reflector makes one call at a time. The sources of one provider are used by several strands,
    and so by several threads where the executor has them. The source outlives the operations on it. */
class list_watch_source
{
public:
    virtual ~list_watch_source() = default;

    /// Returns one page. Errors: any condition; expired and too_large_resource_version mean what they mean to
    /// client-go's reflector.
    /// @par Cancellation  terminal, partial.
    [[nodiscard]] virtual boost::asio::awaitable<result<list_page>> list(list_options options) = 0;

    /// Completes when the server has accepted the watch. Errors: any condition.
    /// @par Cancellation  terminal, partial.
    [[nodiscard]] virtual boost::asio::awaitable<result<std::unique_ptr<watch_stream>>>
    watch(watch_options options) = 0;

    /** Whether watch() supports watch_options::send_initial_events, as far as the source itself is concerned;
        whether the server supports it shows in its response. The default, false, makes informers list. */
    [[nodiscard]] virtual bool streams_lists() const noexcept { return false; }

    /// Whether a streamed list costs the server about as much as a LIST: true for protobuf, while JSON costs twice as
    /// much, because each object is encoded as an event of its own.
    [[nodiscard]] virtual bool streams_cheaply() const noexcept { return true; }

    /// The watched resource, for logs and failures: "pods in namespace web".
    [[nodiscard]] virtual std::string describe() const = 0;
};

/// Selects the objects of a resource that a source covers. A regular value: equal scopes may share one watch.
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
    /// Request only kind, apiVersion and metadata.
    bool metadata_only = false;
    /// Shared by the objects; null = each object is self-contained. Compared by pointer.
    std::shared_ptr<detail::object_encoding> encoding = {};
    /// Objects that need not be decoded again; null = none. Compared by pointer.
    std::shared_ptr<const detail::known_objects> known = {};
    friend bool operator==(const source_scope&, const source_scope&) = default;
};

/** Opens sources: an informer factory's access to a cluster. Implemented by the client, and by scripts and fakes in
    tests. Thread safe. */
class source_provider
{
public:
    /// For factories that do not set their own: see factory_options.
    struct instruments
    {
        /// Empty = real_clock().
        std::shared_ptr<time_source> time = {};
        /// By default warnings and errors go to standard error; see logger.
        logger log = {};
        /// Null = null_metrics().
        std::shared_ptr<kubecoro::metrics> metrics = {};
    };

    virtual ~source_provider() = default;
    /// Never returns null and never waits: errors are reported when the source is used. The source keeps alive what it
    /// needs of the provider.
    [[nodiscard]] virtual std::shared_ptr<list_watch_source> open(const resource_type& resource,
                                                                  const source_scope& scope) = 0;
    /// The default executor of informers.
    [[nodiscard]] virtual boost::asio::any_io_executor executor() const = 0;
    /// Clock, logger and metrics of the factories that use this provider.
    [[nodiscard]] virtual instruments defaults() const { return {}; }
};

} // namespace kubecoro
