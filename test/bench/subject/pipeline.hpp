#pragma once

#include "fields.hpp"
#include "latencies.hpp"

#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/controller/controller.hpp>
#include <kubecoro/controller/workqueue.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace kubecoro::bench {

/// Counters since the start.
struct pipeline_counters
{
    /// Events that reached the handler, including those merged into another before.
    std::uint64_t handled = 0;
    std::uint64_t reconciled = 0;
    /// Reconciles that found no object, or an object without one of the fields.
    std::uint64_t missing = 0;
    std::uint64_t empty = 0;
    std::uint64_t lists = 0;
    std::uint64_t watches = 0;
};

/// A reconcile: the object's stamp and when the worker had read it, both by CLOCK_MONOTONIC in nanoseconds.
struct arrival
{
    std::int64_t stamp = 0;
    std::int64_t at = 0;
};

/** The parts of a controller: an informer, a handler that queues the keys of each batch of events, one worker that
    looks the object up and reads three fields.

    The informer runs on the client's executor, everything else on `executor`, where every call must be made. */
class pipeline
{
public:
    /// @param executor    Runs one handler at a time.
    /// @param controlled  Uses a controller in place of the handler, the queue and the worker; the handler only counts.
    pipeline(boost::asio::any_io_executor executor, const client& from, const resource_type& resource,
             informer_options options, bool controlled = false);

    /// Starts, and completes when every initial object has been reconciled.
    [[nodiscard]] boost::asio::awaitable<result<>> sync();
    /// Begins a measured stretch: latencies are counted from here.
    void expect(std::uint64_t events);
    /// Completes when the events given to expect() have been handled and everything queued is reconciled.
    [[nodiscard]] boost::asio::awaitable<result<>> reached();
    /// Completes when a list begun after `before` is in the store, `events` more were handled and all is reconciled.
    [[nodiscard]] boost::asio::awaitable<result<>> relisted(pipeline_counters before, std::uint64_t events);
    [[nodiscard]] boost::asio::awaitable<result<>> stop();
    /// From here on arrivals() has every reconcile of the stretch.
    void keep_arrivals() { arrivals_.emplace(); }

    [[nodiscard]] pipeline_counters counters() const;
    [[nodiscard]] const latencies& times() const noexcept { return latencies_; }
    /// Those of the stretch; null unless they are kept.
    [[nodiscard]] const std::vector<arrival>* arrivals() const noexcept { return arrivals_ ? &*arrivals_ : nullptr; }
    /// Seconds from the first event of the stretch to the last reconcile.
    [[nodiscard]] double stretch_s() const;
    [[nodiscard]] kubecoro::lister<> lister() const { return informer_.lister(); }
    [[nodiscard]] const field_paths& paths() const noexcept { return paths_; }

private:
    [[nodiscard]] boost::asio::awaitable<result<>> handle();
    [[nodiscard]] boost::asio::awaitable<result<>> work();
    [[nodiscard]] boost::asio::awaitable<result<action>> run(const object_key& key);
    void reconcile(const object_key& key);
    /// Ends the stretch when it is complete.
    void look();
    /// Whether no key waits for a run.
    [[nodiscard]] bool quiet() const;
    /// Completes when no key waits for a run or runs. Polls: a controller does not notify.
    [[nodiscard]] boost::asio::awaitable<result<>> settled() const;

    boost::asio::any_io_executor executor_;
    field_paths paths_;
    informer_factory informers_;
    shared_informer<object> informer_;
    subscription<object> events_;
    kubecoro::lister<object> lister_;
    workqueue<object_key> queue_;
    std::optional<controller<object>> loop_;
    latencies latencies_;
    std::optional<std::vector<arrival>> arrivals_;
    pipeline_counters counters_;
    std::uint64_t popped_ = 0;

    struct stretch
    {
        std::uint64_t goal = 0;
        std::optional<std::int64_t> began;
        latch over;
    };
    std::optional<stretch> stretch_;
    std::int64_t last_done_ = 0;
    task_group tasks_;
};

} // namespace kubecoro::bench
