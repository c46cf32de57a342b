#pragma once

#include <kubecoro/base/result.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

#include <sys/types.h>

namespace kubecoro::bench {

/// The resource use of a process since its start; all threads, running and ended.
struct usage
{
    double cpu_s = 0;
    /// Page faults without disk access: mostly first touches of memory.
    std::uint64_t minor_faults = 0;
    /// Resident now, and the maximum (since the last reset_peak).
    std::uint64_t rss_bytes = 0;
    std::uint64_t peak_bytes = 0;
};

/// Errors: not_found when the process does not exist.
[[nodiscard]] result<usage> usage_of(pid_t pid);

/// Resets peak_bytes to the current resident size.
result<> reset_peak(pid_t pid);

/// Minor faults out of /proc/PID/stat: the 8th field after the name, which may itself contain spaces and brackets.
[[nodiscard]] std::optional<std::uint64_t> minor_faults_in(std::string_view stat);
/// A line such as "VmHWM:   1234 kB" out of /proc/PID/status, in bytes.
[[nodiscard]] std::optional<std::uint64_t> memory_in(std::string_view status, std::string_view name);

} // namespace kubecoro::bench
