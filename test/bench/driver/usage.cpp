#include "usage.hpp"

#include "files.hpp"

#include <charconv>
#include <ctime>
#include <string>

namespace kubecoro::bench {

namespace {

std::optional<std::uint64_t> number_at(std::string_view text)
{
    const auto begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return {};
    text.remove_prefix(begin);
    std::uint64_t n = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), n).ec != std::errc()) return {};
    return n;
}

} // namespace

std::optional<std::uint64_t> minor_faults_in(std::string_view stat)
{
    const auto name_end = stat.rfind(')');
    if (name_end == std::string_view::npos) return {};
    stat.remove_prefix(name_end + 1);
    // state ppid pgrp session tty tpgid flags minflt
    for (int field = 0; field < 7; ++field) {
        const auto begin = stat.find_first_not_of(' ');
        if (begin == std::string_view::npos) return {};
        const auto end = stat.find(' ', begin);
        if (end == std::string_view::npos) return {};
        stat.remove_prefix(end);
    }
    return number_at(stat);
}

std::optional<std::uint64_t> memory_in(std::string_view status, std::string_view name)
{
    for (std::size_t line = 0; line < status.size();) {
        auto end = status.find('\n', line);
        if (end == std::string_view::npos) end = status.size();
        const auto text = status.substr(line, end - line);
        if (text.starts_with(name) && text.size() > name.size() && text[name.size()] == ':') {
            auto kilobytes = number_at(text.substr(name.size() + 1));
            if (kilobytes) *kilobytes *= 1024;
            return kilobytes;
        }
        line = end + 1;
    }
    return {};
}

result<usage> usage_of(pid_t pid)
{
    const auto folder = "/proc/" + std::to_string(pid) + "/";
    auto stat = read_file(folder + "stat");
    auto status = read_file(folder + "status");
    // Nanoseconds; /proc has only hundredths of a second.
    clockid_t clock{};
    timespec cpu{};
    if (!stat || !status || clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &cpu) != 0)
        return failure(cond::not_found, "process " + std::to_string(pid) + " has ended");
    return usage{.cpu_s = static_cast<double>(cpu.tv_sec) + static_cast<double>(cpu.tv_nsec) * 1e-9,
                 .minor_faults = minor_faults_in(*stat).value_or(0),
                 .rss_bytes = memory_in(*status, "VmRSS").value_or(0),
                 .peak_bytes = memory_in(*status, "VmHWM").value_or(0)};
}

result<> reset_peak(pid_t pid) { return write_file("/proc/" + std::to_string(pid) + "/clear_refs", "5"); }

} // namespace kubecoro::bench
