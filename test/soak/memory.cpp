#include "memory.hpp"

#include <algorithm>
#include <fstream>

#include <malloc.h>
#include <unistd.h>

namespace soak {

double resident_megabytes()
{
    std::ifstream file("/proc/self/statm");
    double total = 0;
    double resident = 0;
    file >> total >> resident;
    return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1024 * 1024);
}

double needed_megabytes()
{
    ::malloc_trim(0);
    return resident_megabytes();
}

double allocated_megabytes()
{
    const auto heap = ::mallinfo2();
    return static_cast<double>(heap.uordblks + heap.hblkhd) / (1024 * 1024);
}

double memory_record::median(std::size_t first, std::size_t count) const
{
    first = std::min(first, samples_.size());
    count = std::min(count, samples_.size() - first);
    if (count == 0) return 0;
    std::vector<double> some(samples_.begin() + static_cast<std::ptrdiff_t>(first),
                             samples_.begin() + static_cast<std::ptrdiff_t>(first + count));
    const auto middle = some.begin() + static_cast<std::ptrdiff_t>(count / 2);
    std::nth_element(some.begin(), middle, some.end());
    return *middle;
}

drift drift_of(const memory_record& record, std::size_t cycle)
{
    drift d;
    d.warm_up = record.size() * 2 / 5;
    d.window = std::min(2 * cycle, record.size() - d.warm_up);
    d.begin = record.median(d.warm_up, d.window);
    d.end = record.median(record.size() - d.window, d.window);
    return d;
}

} // namespace soak
