#include "controller/run_ledger.hpp"

#include <algorithm>
#include <chrono>
#include <map>

namespace kubecoro::detail {

run_ledger::run_ledger(metrics* sink, const std::string& controller, std::size_t workers)
{
    if (sink == nullptr || controller.empty()) return;
    const metric_labels labels{{"controller", controller}};
    const std::string prefix = "controller_runtime_reconcile_";
    std::map<std::string_view, std::shared_ptr<metrics::counter>> totals;
    for (std::size_t n = 0; n < run_ends; ++n) {
        const auto label = metric_label(static_cast<run_end>(n));
        auto& counter = totals[label];
        if (!counter) {
            metric_labels with_result = labels;
            with_result.emplace_back("result", label);
            counter = sink->make_counter(prefix + "total", with_result);
        }
        totals_[n] = counter;
    }
    errors_ = sink->make_counter(prefix + "errors_total", labels);
    panics_ = sink->make_counter(prefix + "panics_total", labels);
    timeouts_ = sink->make_counter(prefix + "timeouts_total", labels);
    took_ = sink->make_histogram(prefix + "time_seconds", labels);
    terminal_errors_ = sink->make_counter("controller_runtime_terminal_reconcile_errors_total", labels);
    active_workers_ = sink->make_gauge("controller_runtime_active_workers", labels);
    sink->make_gauge("controller_runtime_max_concurrent_reconciles", labels)->set(static_cast<double>(workers));
    failed_events_ = sink->make_counter("kubecoro_controller_failed_events_total", labels);
    own_write_timeouts_ = sink->make_counter("kubecoro_controller_own_write_timeouts_total", labels);
}

void run_ledger::begun() noexcept
{
    const auto active = ++active_;
    if (active_workers_) active_workers_->set(static_cast<double>(active));
}

void run_ledger::ended(run_end e, duration took) noexcept
{
    const auto active = --active_;
    ++ends_[static_cast<std::size_t>(e)];
    if (!timed()) return;
    active_workers_->set(static_cast<double>(active));
    // Never negative, because a clock may be set back.
    took = std::max(took, duration::zero());
    took_->observe(std::chrono::duration<double>(took).count());
    run_time_ += took.count();
    for (auto longest = longest_run_.load(); longest < took.count();)
        if (longest_run_.compare_exchange_weak(longest, took.count())) break;
    totals_[static_cast<std::size_t>(e)]->add();
    if (e == run_end::terminal || is_retried(e)) errors_->add();
    if (e == run_end::terminal) terminal_errors_->add();
    if (e == run_end::threw) panics_->add();
    if (e == run_end::timed_out) timeouts_->add();
}

void run_ledger::event_failed() noexcept
{
    if (failed_events_) failed_events_->add();
}

void run_ledger::waited_in_vain(std::size_t keys) noexcept
{
    in_vain_ += keys;
    if (own_write_timeouts_ && keys != 0) own_write_timeouts_->add(static_cast<double>(keys));
}

void run_ledger::fill(controller_stats& s) const noexcept
{
    const auto count = [this](run_end e) { return ends_[static_cast<std::size_t>(e)].load(); };
    s.active = static_cast<std::size_t>(std::max<std::int64_t>(0, active_));
    s.requeued = count(run_end::requeued);
    s.succeeded = count(run_end::succeeded) + s.requeued;
    s.threw = count(run_end::threw);
    s.timed_out = count(run_end::timed_out);
    s.failed = count(run_end::failed) + s.threw + s.timed_out;
    s.terminal = count(run_end::terminal);
    s.cancelled = count(run_end::cancelled);
    s.own_write_timeouts = in_vain_;
    s.run_time = duration(run_time_);
    s.longest_run = duration(longest_run_);
}

} // namespace kubecoro::detail
