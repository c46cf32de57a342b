#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/kept_text.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/collections/collection.hpp>
#include <kubecoro/collections/look.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace kubecoro {

/// Options of live_queries.
struct live_queries_options
{
    /// The clock; empty = real_clock().
    std::shared_ptr<time_source> time = {};
    /// Receives a line for each key whose computation begins to fail.
    std::optional<logger> log = {};
    /// Updated every 5 s and at the stop: see the guide on observability.
    std::shared_ptr<kubecoro::metrics> metrics = {};
};

/// A picture of one collection.
struct collection_stats
{
    /// Its name.
    std::string name = {};
    /// Whether it is complete.
    bool synced = false;
    /// The names of what it has read.
    std::vector<std::string> inputs = {};
    /// Elements.
    std::size_t elements = 0;
    /// Results to be computed.
    std::size_t waiting = 0;
    /// Keys whose last computation threw.
    std::size_t stale = 0;
    /// Computations, those among them that threw, and results that were equal to the last one.
    std::uint64_t computed = 0;
    /// Computations that threw.
    std::uint64_t failed = 0;
    /// Results that were equal to the last one, and went no further.
    std::uint64_t equal = 0;
    /// Time that its computations took.
    duration took{0};
    /// Index functions that threw.
    std::uint64_t index_failures = 0;
};

/// One line for people: inputs, elements, computations.
[[nodiscard]] std::string describe(const collection_stats& s);

/// A picture of live_queries.
struct live_queries_stats
{
    /// Informers and collections, in the order in which they were made.
    std::vector<collection_stats> collections = {};
    /// Edges: what results have read, each once for a result.
    std::size_t edges = 0;
    /// Their memory.
    std::size_t edge_bytes = 0;
};

/** Owns collections, and computes them: on a strand of its own, in turns of some hundred elements.

        kubecoro::live_queries live(executor);
        auto loads = kubecoro::derive<node_load>(live, nodes, [=](const typed_object<node>& n, auto& look) { ... });
        ...
        co_await live.stop();

    A change of an informer (a list, or events that arrived together) is applied as a whole; what has read something that is touched by it is
    computed again, once, in the order in which the collections were made; then all collections show the new state together.

    Thread safe. Has one owner, which awaits stop() before destroying it. It may outlive the informers: a collection keeps the
    last state of an input that has ended. Destroying it while it runs is an error: it is logged, and everything ends as soon as the executor allows. */
class live_queries
{
public:
    /// @param executor  Runs everything, each part on a strand. Its context may end first.
    explicit live_queries(const boost::asio::any_io_executor& executor, live_queries_options options = {});
    ~live_queries();
    live_queries(const live_queries&) = delete;
    live_queries& operator=(const live_queries&) = delete;

    /// The objects of an informer as a collection. Collections read informers without it.
    template<class K>
    [[nodiscard]] collection<detail::object_handle<K>> of(const shared_informer<K>& informer)
    {
        return collection<detail::object_handle<K>>(detail::add_input(*engine_, informer));
    }

    /** One state of several collections: what is read from the copies fits together. None is computed from a newer or an older state of an
        input than another one; informers count as inputs of themselves.

            KUBECORO_TRY(auto now, co_await live.snapshot({{pods, version}}, loads, policies));
            const auto& [loads_then, policies_then] = now;

        @param at_least  For each informer here, the snapshot shows all writes up to the version (see lister::wait_until). Nothing is
                         promised about the informers that are not named, or about the order of writes to different resources.
        @par Errors        those of lister::wait_until(), and of has_synced() for each collection.
        @par Cancellation  ends the wait only. */
    struct version_of
    {
        /// The informer of the resource that the version is of.
        shared_informer<object> informer;
        /// The version, from a write's response or an event.
        kept_text version;
        /// The namespace of that write; empty = all.
        kept_text ns = {};
    };
    /// See version_of.
    template<class... T>
    [[nodiscard]] boost::asio::awaitable<result<std::tuple<collection<T>...>>>
    snapshot(std::vector<version_of> at_least, const collection<T>&... of)
    {
        return typed<T...>(snapshot_of(std::move(at_least), {of.table()...}));
    }

    /// Completes when all collections that were made so far have synced. Errors and cancellation as collection::has_synced().
    [[nodiscard]] boost::asio::awaitable<result<>> has_synced() const;
    /// Ends everything: subscriptions end after what waits for them, handlers after the call in progress. Completes when nothing runs any more. Idempotent. Must not
    /// be awaited by a handler. @par Cancellation  ends the wait; call it again to finish.
    [[nodiscard]] boost::asio::awaitable<result<>> stop();
    /// Begins stop() without waiting. Any thread.
    void request_stop();

    /// A picture of the present state, as of the end of the last change. Any thread.
    [[nodiscard]] live_queries_stats stats() const;
    /// The graph as text for people: a line for each collection, with its inputs.
    [[nodiscard]] std::string describe() const;

    /// The implementation.
    [[nodiscard]] detail::live_engine& engine() noexcept { return *engine_; }

private:
    using tables = std::vector<std::shared_ptr<detail::live_table>>;
    [[nodiscard]] boost::asio::awaitable<result<tables>> snapshot_of(std::vector<version_of> at_least, tables of);
    template<class... T>
    static boost::asio::awaitable<result<std::tuple<collection<T>...>>>
    typed(boost::asio::awaitable<result<tables>> made)
    {
        auto all = co_await std::move(made);
        if (!all) co_return all.error();
        auto next = all->begin();
        co_return std::tuple<collection<T>...>{collection<T>(*next++)...};
    }

    std::shared_ptr<detail::live_engine> engine_;
};

} // namespace kubecoro
