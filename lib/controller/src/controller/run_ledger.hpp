#pragma once

#include "controller/run_end.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/controller/controller_options.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace kubecoro::detail {

/** Counts the runs of one controller, for its snapshot and, under controller-runtime's names, for the metrics.
    Thread safe. */
class run_ledger
{
public:
    /// @param sink  Null = no metrics, and then nothing is timed.
    run_ledger(metrics* sink, const std::string& controller, std::size_t workers);

    [[nodiscard]] bool timed() const noexcept { return took_ != nullptr; }
    void begun() noexcept;
    void ended(run_end e, duration took) noexcept;
    void event_failed() noexcept;
    /// Counts keys whose wait for their own writes timed out.
    void waited_in_vain(std::size_t keys) noexcept;

    void fill(controller_stats& s) const noexcept;

private:
    std::atomic<std::int64_t> active_{0};
    std::array<std::atomic<std::uint64_t>, run_ends> ends_{};
    std::atomic<std::uint64_t> in_vain_{0};
    std::atomic<duration::rep> run_time_{0}, longest_run_{0};

    std::shared_ptr<metrics::histogram> took_;
    std::shared_ptr<metrics::gauge> active_workers_;
    std::array<std::shared_ptr<metrics::counter>, run_ends> totals_;
    std::shared_ptr<metrics::counter> errors_;
    std::shared_ptr<metrics::counter> terminal_errors_;
    std::shared_ptr<metrics::counter> panics_;
    std::shared_ptr<metrics::counter> timeouts_;
    std::shared_ptr<metrics::counter> failed_events_;
    std::shared_ptr<metrics::counter> own_write_timeouts_;
};

} // namespace kubecoro::detail
