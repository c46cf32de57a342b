#pragma once

#include <kubecoro/base/metrics.hpp>
#include <kubecoro/controller/event_recorder.hpp>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>

namespace kubecoro::detail {

/// Passes the numbers of a recorder on as metrics. Thread safe; the sink, which is the user's, is called without a lock.
class event_meters
{
public:
    /// @param sink  Null = no metrics.
    event_meters(metrics* sink, const std::string& component);
    /// Adds what is new since the last call.
    void show(const event_recorder_stats& now) noexcept;

private:
    struct line
    {
        std::uint64_t event_recorder_stats::*number;
        std::shared_ptr<metrics::counter> counter;
        std::atomic<std::uint64_t> shown{0};

        line(std::uint64_t event_recorder_stats::*n, std::shared_ptr<metrics::counter> c)
            : number(n), counter(std::move(c))
        {
        }
    };
    std::deque<line> lines_;
    std::shared_ptr<metrics::gauge> pending_;
};

} // namespace kubecoro::detail
