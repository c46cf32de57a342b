#include "memory.hpp"

#include "driver/files.hpp"
#include "driver/usage.hpp"

#include <string>

namespace kubecoro::bench::controllers {

result<process_memory> memory_of(pid_t pid)
{
    const auto text = text_of("/proc/" + std::to_string(pid) + "/smaps_rollup");
    const auto dirty = memory_in(text, "Private_Dirty");
    const auto proportional = memory_in(text, "Pss");
    const auto resident = memory_in(text, "Rss");
    if (!dirty || !proportional || !resident) return failure(cond::not_found, "the process has ended");
    return process_memory{.private_bytes = *dirty, .proportional_bytes = *proportional, .resident_bytes = *resident};
}

} // namespace kubecoro::bench::controllers
