#pragma once

#include <kubecoro/base/result.hpp>

#include <cstdint>

#include <sys/types.h>

namespace kubecoro::bench::controllers {

/// The memory of a process as the kernel attributes it.
struct process_memory
{
    /// Pages of this process alone that are not in a file.
    std::uint64_t private_bytes = 0;
    /// Pages shared with other processes count in part.
    std::uint64_t proportional_bytes = 0;
    std::uint64_t resident_bytes = 0;
};

/// Errors: not_found when the process does not exist.
[[nodiscard]] result<process_memory> memory_of(pid_t pid);

} // namespace kubecoro::bench::controllers
