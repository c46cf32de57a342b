#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/base/repeat.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace kubecoro {

/// Options of a job that every() runs.
struct periodic_options
{
    /// For log lines and metrics.
    std::string name = {};
    /// From the beginning of one run to the beginning of the next. After a run that takes longer the next one begins at
    /// once. At least a millisecond.
    saturating_duration period = std::chrono::minutes{1};
    /// A period p becomes uniform in [p, p * (1 + jitter)], so that many instances do not act at once. 0 = none.
    double jitter = 0.1;
    /// Before the first run. Empty = a random part of a period.
    std::optional<duration> first_after = {};
    /// Maximum duration of a run; then it is cancelled, and has failed. 0 = no limit.
    saturating_duration deadline = {};
    /// Seeds the jitter; empty = from the system.
    std::optional<std::uint64_t> seed = {};
    /// Null = real_clock().
    std::shared_ptr<time_source> time = {};
    /// Receives the failures of runs.
    logger log = {};
    /// Receives kubecoro_periodic_runs_total and kubecoro_periodic_run_seconds. Null = no metrics.
    std::shared_ptr<kubecoro::metrics> metrics = {};
};

/** Runs a job again and again, one run at a time, until it is cancelled: for a task_group, which owns it.

        periodic_options how{.name = "sweep", .period = 1h};
        tasks.spawn("sweep", every(how, sweep));
        ...
        tasks.stop();
        co_await tasks.join(); // a run in progress has been cancelled, and has ended

    A run that fails, throws or passes its deadline is logged and counted, and the next one comes at its time.
    @par Errors        cond::cancelled, and nothing else.
    @par Cancellation  terminal, partial, total; reaches the run, which is awaited.
    @par Executor      with a deadline one that runs one handler at a time. */
[[nodiscard]] boost::asio::awaitable<result<>> every(periodic_options how, loop_body job);

} // namespace kubecoro
