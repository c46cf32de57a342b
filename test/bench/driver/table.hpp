#pragma once

#include "results.hpp"

#include <string>
#include <vector>

namespace kubecoro::bench {

/// Text in cells.
struct table
{
    std::string title;
    std::vector<std::string> header;
    std::vector<std::vector<std::string>> lines;
    /// Columns that are aligned left; the others hold numbers.
    std::size_t text_columns = 1;
};

/// The cells of tables_of().
enum class cell_form : bool
{
    /// The median alone.
    median,
    /// "median (min-max)", and the number of rounds in the last column.
    range
};

/// One table per workload, data and size, in the order of the plan: subjects down, metrics across.
[[nodiscard]] std::vector<table> tables_of(const std::vector<row>& rows, cell_form form = cell_form::range);

/// For a terminal.
[[nodiscard]] std::string to_text(const table& t);
[[nodiscard]] std::string to_markdown(const table& t);

/// Three significant digits, thousands separated: "1.64", "12.4", "37,200".
[[nodiscard]] std::string number_text(double value);
/// The title of a measurement's table: "sync, 20,000 small".
[[nodiscard]] std::string title_of(const cell& c);
/// A ratio: "1/3.50" below one, "2.40x" above.
[[nodiscard]] std::string factor_text(double factor);
/// 150000 -> "150,000".
[[nodiscard]] std::string count_text(std::uint64_t count);

} // namespace kubecoro::bench
