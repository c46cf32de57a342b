#include "process.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kubecoro::bench {

namespace {

using wall = std::chrono::steady_clock;

failure system_failure(std::string_view doing)
{
    return failure(boost::system::error_code(errno, boost::system::system_category()), doing);
}

int milliseconds_until(wall::time_point deadline)
{
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - wall::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000'000));
}

double seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6; }

/// In the child, between fork and exec. The driver has one thread, so setenv may allocate.
[[noreturn]] void become(const command_line& command, char* const* words, int in, int out, int log)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    pin_this_thread(command.cores);
    for (const auto& [name, value] : command.environment) setenv(name.c_str(), value.c_str(), 1);
    execvp(words[0], words);
    _exit(127);
}

} // namespace

void pin_this_thread(const std::vector<int>& cores)
{
    if (cores.empty()) return;
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int core : cores) CPU_SET(core, &set);
    sched_setaffinity(0, sizeof set, &set);
}

result<child_process> child_process::start(const command_line& command, const std::string& log_file)
{
    int in[2];
    int out[2];
    if (pipe2(in, O_CLOEXEC)) return system_failure("make a pipe");
    if (pipe2(out, O_CLOEXEC)) return system_failure("make a pipe");
    const int log = open(log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (log < 0) return system_failure("open " + log_file);

    std::vector<char*> words;
    for (const auto& w : command.words) words.push_back(const_cast<char*>(w.c_str()));
    words.push_back(nullptr);

    child_process child;
    child.name_ = command.words.front();
    child.pid_ = fork();
    if (child.pid_ < 0) return system_failure("fork");
    if (child.pid_ == 0) become(command, words.data(), in[0], out[1], log);
    close(in[0]);
    close(out[1]);
    close(log);
    child.input_ = in[1];
    child.output_ = out[0];
    return child;
}

child_process::child_process(child_process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      input_(std::exchange(other.input_, -1)),
      output_(std::exchange(other.output_, -1)),
      received_(std::move(other.received_)),
      name_(std::move(other.name_))
{
}

child_process::~child_process() { end(); }

result<> child_process::write_line(std::string_view line)
{
    std::string text(line);
    text += '\n';
    for (std::string_view left = text; !left.empty();) {
        const auto n = write(input_, left.data(), left.size());
        if (n < 0) return system_failure("write to " + name_);
        left.remove_prefix(static_cast<std::size_t>(n));
    }
    return {};
}

result<std::string> child_process::read_line(duration patience)
{
    const auto deadline = wall::now() + patience;
    for (;;) {
        if (auto end = received_.find('\n'); end != std::string::npos) {
            auto line = received_.substr(0, end);
            received_.erase(0, end + 1);
            return line;
        }
        pollfd wait{output_, POLLIN, 0};
        if (poll(&wait, 1, milliseconds_until(deadline)) == 0)
            return failure(cond::timed_out, name_ + " does not answer");
        char bytes[4096];
        const auto n = read(output_, bytes, sizeof bytes);
        if (n <= 0) return failure(cond::unreachable, name_ + " has ended");
        received_.append(bytes, static_cast<std::size_t>(n));
    }
}

result<boost::json::object> child_process::read_answer(duration patience)
{
    auto line = read_line(patience);
    if (!line) return line.error();
    boost::system::error_code bad;
    auto value = boost::json::parse(*line, bad);
    if (bad || !value.is_object()) return failure(cond::corrupt, name_ + " answered " + line->substr(0, 200));
    return std::move(value.as_object());
}

result<boost::json::object> child_process::ask(std::string_view line, duration patience)
{
    if (auto written = write_line(line); !written) return written.error();
    return read_answer(patience);
}

result<> child_process::stay_silent(duration time)
{
    auto line = read_line(time);
    if (line) return failure(cond::corrupt, name_ + " sent an unexpected line: " + line->substr(0, 200));
    if (line.error() == cond::timed_out) return {};
    return line.error();
}

bool child_process::wait_for_end(duration patience)
{
    const auto deadline = wall::now() + patience;
    char bytes[4096];
    pollfd wait{output_, POLLIN, 0};
    while (poll(&wait, 1, milliseconds_until(deadline)) > 0)
        if (read(output_, bytes, sizeof bytes) <= 0) return true;
    return false;
}

result<run_cost> child_process::succeed(duration patience)
{
    if (!wait_for_end(patience)) return failure(cond::timed_out, name_ + " does not end");
    int status = 0;
    rusage used{};
    wait4(std::exchange(pid_, -1), &status, 0, &used);
    close(input_);
    close(output_);
    if (status != 0) return failure(cond::misconfigured, name_ + " failed");
    return run_cost{.cpu_s = seconds(used.ru_utime) + seconds(used.ru_stime),
                    .peak_bytes = static_cast<std::uint64_t>(used.ru_maxrss) * 1024};
}

void child_process::end()
{
    if (pid_ < 0) return;
    close(input_);
    wait_for_end(std::chrono::seconds(2));
    kill(pid_, SIGKILL);
    waitpid(std::exchange(pid_, -1), nullptr, 0);
    close(output_);
}

} // namespace kubecoro::bench
