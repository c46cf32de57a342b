#pragma once

#include "plan.hpp"
#include "process.hpp"
#include "replay_server.hpp"
#include "results.hpp"
#include "usage.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace kubecoro::bench {

/** One subject at work: its process, its server, and where its numbers go. What the workloads are written against. */
class session
{
public:
    /// Starts the subject; it has not synced yet.
    [[nodiscard]] static result<session> open(const session_plan& plan, const subject& who, replay_server& server,
                                              const bench_options& options, sample_book& book,
                                              const std::string& log_file);

    [[nodiscard]] const session_plan& plan() const noexcept { return plan_; }
    [[nodiscard]] const subject& who() const noexcept { return who_; }
    [[nodiscard]] const bench_options& options() const noexcept { return options_; }
    [[nodiscard]] replay_server& server() noexcept { return server_; }
    [[nodiscard]] std::uint64_t objects() const noexcept { return plan_.data.objects; }

    /// The workload that later samples belong to. Those of one that nobody asked for are dropped.
    void begin(std::string workload)
    {
        asked_ = is_asked(options_, workload);
        workload_ = std::move(workload);
    }
    void add(std::string_view metric, std::string_view unit, double value);
    void missing(std::string_view metric, std::string reason);
    [[nodiscard]] cell cell_of(std::string_view metric, std::string_view unit) const;

    /// Asks the subject. Errors: as child_process::ask, timed_out after the limit of the options; corrupt when the answer
    /// has an "error".
    result<boost::json::object> ask(std::string_view command);
    /// An answer that comes later. Errors: as ask().
    result<boost::json::object> answer();
    /// Changes as replay_server::events() makes them. Errors: timed_out also when the subject does not take them in time.
    result<> change(std::uint64_t count, std::uint64_t rate);
    result<usage> used();

    /// Waits until the subject has been idle for a moment, so that what it does behind the scenes (collecting garbage) is
    /// over. Errors: timed_out after a minute.
    result<> wait_until_idle();

    /// Measures the peak of what follows alone; peak() remembers what was before.
    result<> begin_peak();
    /// The most the process ever held resident.
    result<std::uint64_t> peak();

    /// What the subject can take, found by the events workload; 0 when unknown.
    double events_per_second = 0;

private:
    session(const session_plan& plan, const subject& who, replay_server& server, const bench_options& options,
            sample_book& book, child_process process);

    const session_plan& plan_;
    const subject& who_;
    replay_server& server_;
    const bench_options& options_;
    sample_book& book_;
    child_process process_;
    duration limit() const { return std::chrono::seconds(options_.limit_s); }

    std::string workload_;
    bool asked_ = true;
    std::uint64_t peak_before_ = 0;
};

/// A number of an answer. Errors: corrupt when it is not there.
[[nodiscard]] result<double> number_in(const boost::json::object& answer, std::string_view name);

} // namespace kubecoro::bench
