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

/** A running subject: its process, its server, and the destination of its numbers. The interface of the workloads. */
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

    /// Sets the workload of later samples. Samples of unchosen workloads are dropped.
    void begin(std::string workload)
    {
        asked_ = is_asked(options_, workload);
        workload_ = std::move(workload);
    }
    void add(std::string_view metric, std::string_view unit, double value);
    void missing(std::string_view metric, std::string reason);
    [[nodiscard]] cell cell_of(std::string_view metric, std::string_view unit) const;

    /// Sends a command to the subject. Errors: as child_process::ask, timed_out after the limit of the options; corrupt
    /// when the answer has an "error".
    result<boost::json::object> ask(std::string_view command);
    /// Reads a later answer. Errors: as ask().
    result<boost::json::object> answer();
    /// Makes changes by replay_server::events(). Errors: timed_out also when the subject does not read them in time.
    result<> change(std::uint64_t count, std::uint64_t rate);
    result<usage> used();

    /// Waits until the subject has been idle for a moment, so that its background work (collecting garbage) is
    /// over. Errors: timed_out after a minute.
    result<> wait_until_idle();

    /// Starts measuring a new peak; peak() remembers earlier ones.
    result<> begin_peak();
    /// The highest resident memory of the process so far.
    result<std::uint64_t> peak();

    /// The subject's maximum rate, found by the events workload; 0 when unknown.
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

/// A number of an answer. Errors: corrupt when missing.
[[nodiscard]] result<double> number_in(const boost::json::object& answer, std::string_view name);

} // namespace kubecoro::bench
