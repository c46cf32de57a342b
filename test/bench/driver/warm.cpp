#include "warm.hpp"

#include "files.hpp"
#include "usage.hpp"

#include <algorithm>
#include <sstream>

#include <sys/mman.h>
#include <unistd.h>

namespace kubecoro::bench {

void warm_memory(std::uint64_t megabytes)
{
    const auto meminfo = read_file("/proc/meminfo");
    const auto available = meminfo ? memory_in(*meminfo, "MemAvailable").value_or(0) : 0;
    const auto bytes = std::min<std::uint64_t>(megabytes * 1'000'000, available / 10 * 6);
    if (bytes == 0) return;
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (at != MAP_FAILED) munmap(at, bytes);
}

machine_time machine_time_now()
{
    auto stat = read_file("/proc/stat");
    if (!stat) return {};
    std::istringstream in(*stat);
    std::string cpu;
    double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
    in >> cpu >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal;
    const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
    return {.busy_s = (user + nice + system + irq + softirq) / ticks, .stolen_s = steal / ticks};
}

} // namespace kubecoro::bench
