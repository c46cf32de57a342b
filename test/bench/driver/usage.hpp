#pragma once

#include <kubecoro/base/result.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

#include <sys/types.h>

namespace kubecoro::bench {

/// What a process has used since it began; all threads, living and ended.
struct usage
{
    double cpu_s = 0;
    /// Page faults that needed no disk: mostly first touches of memory.
    std::uint64_t minor_faults = 0;
    /// Resident now, and the most it ever was (since the last reset_peak).
    std::uint64_t rss_bytes = 0;
    std::uint64_t peak_bytes = 0;
};

/// Errors: not_found when there is no such process.
[[nodiscard]] result<usage> usage_of(pid_t pid);

/// Lets peak_bytes begin anew at what is resident now.
result<> reset_peak(pid_t pid);

/// Minor faults out of /proc/PID/stat: the 8th field after the name, which may itself hold spaces and brackets.
[[nodiscard]] std::optional<std::uint64_t> minor_faults_in(std::string_view stat);
/// A line such as "VmHWM:   1234 kB" out of /proc/PID/status, in bytes.
[[nodiscard]] std::optional<std::uint64_t> memory_in(std::string_view status, std::string_view name);

} // namespace kubecoro::bench
