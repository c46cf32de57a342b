#pragma once

#include "plan.hpp"

#include <chrono>
#include <string>

namespace kubecoro::bench {

/** Estimates the length of a session, in seconds, on a processor some years old.

    Based on earlier runs and accurate to a third: for planning and progress only, never for a result. */
[[nodiscard]] double expected_seconds(const session_plan& plan, const subject& who, const bench_options& options);

/// All sessions of a plan; the preparation of servers and memory adds a few percent.
[[nodiscard]] double expected_seconds(const std::vector<group_plan>& plan, const std::vector<subject>& subjects,
                                      const bench_options& options);

/// Estimates the remaining time from the finished part.
class progress
{
public:
    explicit progress(double expected_s) : expected_s_(expected_s) {}
    /// A part with this estimate has finished.
    void done(double expected_s) { done_s_ += expected_s; }
    [[nodiscard]] double seconds_left() const;

private:
    double expected_s_;
    double done_s_ = 0;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// "4 min", "50 s".
[[nodiscard]] std::string time_text(double seconds);

/// The whole plan, a line for each subject of each group, with rounds, workloads and time.
[[nodiscard]] std::string describe_plan(const std::vector<group_plan>& plan, const std::vector<subject>& subjects,
                                        const bench_options& options);

} // namespace kubecoro::bench
