#pragma once

#include "results.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::bench {

/// One measurement of several subjects, to be drawn side by side.
struct panel
{
    /// "Time until synced".
    std::string_view title;
    std::string_view workload;
    std::string_view metric;
    std::string_view data;
    std::uint64_t objects = 0;
    /// Fewer is better unless this is set; the panel says which.
    bool more = false;
};

/// A subject and its name in the chart: {"client-go/protobuf", "client-go"}. The first one is ours.
struct chart_line
{
    std::string_view subject;
    std::string_view label;
};

/** A chart of horizontal bars as an SVG of its own, readable on light and on dark pages: a panel for each measurement that
    has a number of our own subject, a bar for each subject with a number, its length in proportion to the largest of the
    panel.

    @return empty when no panel has numbers. */
[[nodiscard]] std::string to_svg(std::string_view title, std::span<const panel> panels,
                                 std::span<const chart_line> lines, const std::vector<row>& rows);

} // namespace kubecoro::bench
