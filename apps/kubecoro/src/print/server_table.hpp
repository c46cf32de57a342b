// Shows the tables of servers.
#pragma once

#include "print/text_table.hpp"

#include <kubecoro/client/table.hpp>

#include <string>
#include <vector>

namespace kubecoro::tool {

/// Appends the rows of a further page or object. Columns and version are those of the first one that has any.
void append(table& to, table more);

/// The columns to show beside those of the server.
struct table_layout
{
    bool wide = false;
    bool with_namespace = false;
    bool with_labels = false;
    /// A column for each of these labels.
    std::vector<std::string> label_columns = {};
    /// Put before each name: "pod/"; empty = nothing.
    std::string name_prefix = {};
};

/// The table as a person reads it. Rows may have more or fewer cells than there are columns.
[[nodiscard]] text_table to_text_table(const table& from, const table_layout& layout);

} // namespace kubecoro::tool
