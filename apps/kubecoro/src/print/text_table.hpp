// Lays out rows of cells in columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::tool {

/// Cells as text, which may come from a server.
struct text_table
{
    std::vector<std::string> head = {};
    /// Rows may be shorter than the head.
    std::vector<std::vector<std::string>> rows = {};
};

struct table_style
{
    bool with_head = true;
    /// The head in bold, and words such as Running and Failed in colour.
    bool colours = false;
};

/// The ANSI colour for a cell, such as "32" for Running; empty = none.
[[nodiscard]] std::string_view colour_of_cell(std::string_view text);

/// The number of characters that a terminal shows for the text, each taken as one column wide.
[[nodiscard]] std::size_t shown_width(std::string_view text);

/// A table that is printed in parts: the head once, and columns that become wider, but not narrower.
class growing_table
{
public:
    /// The lines of a part, as to_text().
    [[nodiscard]] std::string next(const text_table& part, const table_style& style);

private:
    std::vector<std::size_t> widths_;
    std::vector<std::string> head_;
};

/// Lines of columns that are three spaces apart, each line with its end. Control characters of cells become spaces.
[[nodiscard]] std::string to_text(const text_table& table, const table_style& style = {});

} // namespace kubecoro::tool
