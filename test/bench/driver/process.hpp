#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace kubecoro::bench {

struct command_line
{
    std::vector<std::string> words;
    /// Added to the driver's own environment.
    std::vector<std::pair<std::string, std::string>> environment = {};
    /// The cores it may run on, from its first instruction; empty = as the driver.
    std::vector<int> cores = {};
};

/// The resources of a program that has ended, and of the children that it waited for.
struct run_cost
{
    double cpu_s = 0;
    /// The largest resident size of one process.
    std::uint64_t peak_bytes = 0;
};

/** A child process with a line protocol: one line on its standard input, one JSON object back on its standard output.

    Its standard error goes to the log file. One owner; destroying it kills the program if it still runs. */
class child_process
{
public:
    /// Errors: misconfigured when it cannot be started.
    [[nodiscard]] static result<child_process> start(const command_line& command, const std::string& log_file);
    ~child_process();
    child_process(child_process&& other) noexcept;
    child_process& operator=(child_process&&) = delete;

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }

    result<> write_line(std::string_view line);
    /// Errors: timed_out, unreachable when it has ended, corrupt when the line is not a JSON object.
    result<boost::json::object> read_answer(duration patience);
    /// write_line and read_answer.
    result<boost::json::object> ask(std::string_view line, duration patience);

    /// Lets time pass while no answer is due. Errors: as read_answer; corrupt when output arrived.
    result<> stay_silent(duration time);

    /// For a program that runs once and ends. Errors: timed_out, misconfigured when it ends with a failure.
    result<run_cost> succeed(duration patience);

    /// Closes its input, waits a moment for it to end by itself, then kills it. Idempotent.
    void end();

private:
    child_process() = default;
    result<std::string> read_line(duration patience);
    /// Its output ends when it does. @return whether it ended in time.
    bool wait_for_end(duration patience);

    pid_t pid_ = -1;
    int input_ = -1;
    int output_ = -1;
    std::string received_;
    std::string name_;
};

/// Restricts the calling thread to these cores. Threads and children that it starts inherit that, unless a child's
/// command line overrides it.
void pin_this_thread(const std::vector<int>& cores);

} // namespace kubecoro::bench
