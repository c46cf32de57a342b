#pragma once

#include <kubecoro/api/list_watch_source.hpp>
#include <kubecoro/base/callback.hpp>
#include <kubecoro/cache/delta_fifo.hpp>
#include <kubecoro/cache/reflector_policy.hpp>
#include <kubecoro/cache/reflector_stats.hpp>
#include <kubecoro/cache/relist_budget.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro {

namespace detail {
class sink_feeder;
}

/** Receives the content of a resource from a reflector, and keeps something equal to it: a table, a file, a delta_fifo.

    The calls run on the reflector's strand, one at a time: the reflector waits for each, reads nothing meanwhile, and
    does not count that time as silence of the server. A call that fails or throws loses nothing: after a delay that grows
    (reflector_policy::backoff) the reflector lists again and calls replace() with the full content. A call in progress
    receives the cancellation of run(). */
class reflector_sink
{
public:
    virtual ~reflector_sink() = default;

    /** The complete content of the scope: anything else is gone.

        @param items             In the server's order.
        @param resource_version  The version that the content has.
        @param left_out          Objects that still exist, but are too large to be read: keep their last known state. */
    [[nodiscard]] virtual boost::asio::awaitable<result<>>
    replace(std::vector<object> items, std::string resource_version, std::vector<left_out_object> left_out) = 0;

    /** Changes since the last call, in order.

        @param changes           delta_type::added, updated and deleted. A deleted object is its last state, or has only
                                 its name when that state is too large to be read. Treat an added object that is known
                                 as updated. Empty for a bookmark, which only moves the version.
        @param resource_version  The version reached with them. */
    [[nodiscard]] virtual boost::asio::awaitable<result<>> apply(std::vector<delta> changes,
                                                                 std::string resource_version) = 0;

    /// The server no longer serves the resource, for example because its definition was deleted: nothing of it exists.
    /// By default replace() with nothing and an empty version.
    [[nodiscard]] virtual boost::asio::awaitable<result<>> vanished();
};

/// Options of a reflector, and of a watcher, which has no sink.
struct reflector_options
{
    /// The namespace to cover; empty = all. Must be empty for cluster-scoped kinds.
    std::string ns = {};
    /// Which objects to cover; empty = all. Selector text as in kubectl.
    std::string label_selector = {};
    /// Field selector, as in kubectl; empty = all.
    std::string field_selector = {};
    /// Fields to drop while decoding, and limits.
    decode_options decode = {};
    /// How it lists, watches and retries.
    reflector_policy policy = {};
    /// Called on its strand for every failure of a list, a watch or the sink, and for every object that is
    /// too large to be read. Must be quick. Exceptions are ignored. It retries by itself: this is for
    /// reporting.
    callback<void(const failure&)> on_failure = {};
    /// Its executor, on which it has a strand of its own. Empty = the provider's.
    boost::asio::any_io_executor executor = {};
    /// The clock. Empty = the provider's, else real_clock().
    std::shared_ptr<time_source> time = {};
    /// Receives a line for each failure, without repetitions. Empty = the provider's.
    std::optional<logger> log = {};
    /// Seed of the jitter; empty = unpredictable.
    std::optional<std::uint64_t> seed = {};
    /// Limits how many reflectors and watchers list again at a time; pass one to several. Empty = one of its own.
    std::optional<relist_budget> relists = {};
};

/** Keeps a sink equal to a resource, through every failure: client-go's NewReflector. The part of an informer before its
    store, for programs that keep the objects in something of their own.

        kubecoro::reflector pods(client, pod::resource(), {.ns = "web"}, std::make_shared<my_table>());
        co_return co_await pods.run();

    A cheap handle: copies refer to the same reflector. Thread safe. */
class reflector
{
public:
    /// Creates a reflector, which does nothing before run().
    /// @param provider  Where to read: a client, or a testing::scripted_provider. Not null.
    /// @param resource  Its objects' kind. @param sink  Not null; kept until the last copy is gone and run() has ended.
    reflector(std::shared_ptr<source_provider> provider, const resource_type& resource, reflector_options options,
              std::shared_ptr<reflector_sink> sink);
    /// The same over a source: its scope and decoding are its own. reflector_options::executor is required; selectors
    /// and decode options have no effect.
    reflector(std::shared_ptr<list_watch_source> source, const resource_type& resource, reflector_options options,
              std::shared_ptr<reflector_sink> sink);

    /** Runs until it is cancelled, and completes when no call of the sink is in progress. Call it once. It may be awaited
        on any executor. If the awaiting coroutine is destroyed, the reflector is cancelled and ends on its own
        executor.

        @par Errors        cond::cancelled, also when the reflector's context has ended; cond::misconfigured for options
        that cannot work (a namespace of a cluster-scoped kind, no executor), or when it was called before. Other
        failures are retried and passed to reflector_options::on_failure.
        @par Cancellation  terminal, partial, total: ends the reflector. */
    [[nodiscard]] boost::asio::awaitable<result<>> run();

    /// Ends the wait between two attempts, if there is one. Any thread.
    void retry_now() const;
    /// The present state. Any thread.
    [[nodiscard]] informer_state state() const;
    /// The version that the sink has reached; empty before the first list, and after vanished(). Any thread.
    [[nodiscard]] std::string last_resource_version() const;
    /// A picture of the present state. A failure of the sink counts in `failures`, and in `relists` as
    /// relist_reason::apply_failed. Any thread.
    [[nodiscard]] reflector_stats stats() const;

private:
    std::shared_ptr<detail::sink_feeder> feeder_;
};

} // namespace kubecoro
