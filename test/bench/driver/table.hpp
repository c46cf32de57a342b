#pragma once

#include "results.hpp"

#include <string>
#include <vector>

namespace kubecoro::bench {

/// Text in cells; the first column is aligned left, the others right.
struct table
{
    std::string title;
    std::vector<std::string> header;
    std::vector<std::vector<std::string>> lines;
};

/// One table per workload, data and size: subjects down, metrics across, "median (min-max)" in the cells.
[[nodiscard]] std::vector<table> tables_of(const std::vector<row>& rows);

/// For a terminal.
[[nodiscard]] std::string to_text(const table& t);
[[nodiscard]] std::string to_markdown(const table& t);

/// Three significant digits, thousands separated: "1.64", "12.4", "37,200".
[[nodiscard]] std::string number_text(double value);
/// 150000 -> "150,000".
[[nodiscard]] std::string count_text(std::uint64_t count);

} // namespace kubecoro::bench
