// The metrics that every Prometheus client shows of its own process.
#pragma once

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <optional>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// Numbers of the running process.
struct process_numbers
{
    double cpu_seconds = 0;
    double start_time_seconds = 0;
    double virtual_bytes = 0;
    double resident_bytes = 0;
    double threads = 0;
};

/// The units of the kernel's numbers.
struct process_units
{
    double ticks_per_second = 100;
    double page_bytes = 4096;
    /// When the machine was started, in seconds since 1970.
    double boot_time_seconds = 0;
};

/// Reads a line of /proc/PID/stat. Empty when it is none.
[[nodiscard]] std::optional<process_numbers> read_stat_line(std::string_view line, const process_units& units);

/// Reads /proc at each collection. Shows nothing where there is none.
class process_metrics final : public prometheus::Collectable
{
public:
    process_metrics();
    [[nodiscard]] std::vector<prometheus::MetricFamily> Collect() const override;

private:
    process_units units_;
};

} // namespace kubecoro::detail
