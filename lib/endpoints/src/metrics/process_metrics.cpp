#include "metrics/process_metrics.hpp"

#include "metrics/known_metrics.hpp"

#include <algorithm>
#include <charconv>
#include <dirent.h>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace kubecoro::detail {
namespace {

double number_in(std::string_view text)
{
    double n = 0;
    std::from_chars(text.data(), text.data() + text.size(), n);
    return n;
}

std::string content_of(const char* path)
{
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

double boot_time()
{
    const std::string text = content_of("/proc/stat");
    const auto at = text.find("\nbtime ");
    return at == std::string::npos ? 0 : number_in(std::string_view(text).substr(at + 7));
}

/// Without the descriptor that the count itself opens.
std::optional<double> open_descriptors()
{
    DIR* const folder = opendir("/proc/self/fd");
    if (!folder) return std::nullopt;
    double n = 0;
    while (readdir(folder)) ++n;
    closedir(folder);
    return n - 3;
}

std::string_view help_of(std::string_view name)
{
    for (const known_metric& m : known_metrics())
        if (m.name == name) return m.help;
    return {};
}

void show(std::vector<prometheus::MetricFamily>& into, const char* name, prometheus::MetricType type, double value)
{
    prometheus::ClientMetric metric;
    if (type == prometheus::MetricType::Counter)
        metric.counter.value = value;
    else
        metric.gauge.value = value;
    into.push_back({name, std::string(help_of(name)), type, {metric}});
}

} // namespace

std::optional<process_numbers> read_stat_line(std::string_view line, const process_units& units)
{
    // The second field is the program's name, which may hold spaces and parentheses.
    const auto name_end = line.rfind(')');
    if (name_end == std::string_view::npos) return std::nullopt;
    line.remove_prefix(name_end + 1);
    std::vector<std::string_view> fields;
    while (!line.empty()) {
        line.remove_prefix(std::min(line.find_first_not_of(" \n"), line.size()));
        const auto size = std::min(line.find_first_of(" \n"), line.size());
        if (size > 0) fields.push_back(line.substr(0, size));
        line.remove_prefix(size);
    }
    // As proc(5) numbers them, from the third.
    if (fields.size() < 22) return std::nullopt;
    const auto field = [&](std::size_t n) { return number_in(fields[n - 3]); };
    return process_numbers{(field(14) + field(15)) / units.ticks_per_second,
                           units.boot_time_seconds + field(22) / units.ticks_per_second, field(23),
                           field(24) * units.page_bytes, field(20)};
}

process_metrics::process_metrics()
    : units_{static_cast<double>(sysconf(_SC_CLK_TCK)), static_cast<double>(sysconf(_SC_PAGESIZE)), boot_time()}
{
}

std::vector<prometheus::MetricFamily> process_metrics::Collect() const
{
    using prometheus::MetricType;
    std::vector<prometheus::MetricFamily> out;
    if (const auto numbers = read_stat_line(content_of("/proc/self/stat"), units_)) {
        show(out, "process_cpu_seconds_total", MetricType::Counter, numbers->cpu_seconds);
        show(out, "process_start_time_seconds", MetricType::Gauge, numbers->start_time_seconds);
        show(out, "process_virtual_memory_bytes", MetricType::Gauge, numbers->virtual_bytes);
        show(out, "process_resident_memory_bytes", MetricType::Gauge, numbers->resident_bytes);
        show(out, "process_threads", MetricType::Gauge, numbers->threads);
    }
    if (const auto open = open_descriptors()) show(out, "process_open_fds", MetricType::Gauge, *open);
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
        show(out, "process_max_fds", MetricType::Gauge, static_cast<double>(limit.rlim_cur));
    return out;
}

} // namespace kubecoro::detail
