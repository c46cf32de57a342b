// Totals of one operator, for tests and as a metric.
#pragma once

#include <kubecoro/base/metrics.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace kubecoro::config_reloader {

/// Outcomes of a run that did more than compare.
enum class outcome
{
    /// The workload was rolled for a change.
    rolled,
    /// A workload without a mark was rolled.
    adopted,
    /// A workload without a mark got one without a roll.
    recorded,
    /// A required object was missing.
    waiting
};

/// The outcome's name.
[[nodiscard]] std::string_view to_string(outcome o) noexcept;

/// Counts outcomes, also as config_reloader_outcomes_total. Thread safe.
class reload_counts
{
public:
    static constexpr std::string_view metric = "config_reloader_outcomes_total";

    explicit reload_counts(metrics& sink);
    void note(outcome o) noexcept;
    [[nodiscard]] std::uint64_t of(outcome o) const noexcept;

private:
    static constexpr std::size_t outcomes = 4;
    struct meter
    {
        std::atomic<std::uint64_t> count = 0;
        std::shared_ptr<metrics::counter> sent = {};
    };
    std::array<meter, outcomes> meters_;
};

} // namespace kubecoro::config_reloader
