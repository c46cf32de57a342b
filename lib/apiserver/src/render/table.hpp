// Renders Table responses, as requested by `kubectl get`.
#pragma once

#include "render/render.hpp"
#include "render/table_rows.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/** Appends the text before the first row. The caller ends the table with "]}".

    @param metadata  JSON of the table's own metadata. @param columns  Null: columnDefinitions is null. */
void append_table_head(std::string& out, const rendering& r, std::string_view metadata,
                       const std::vector<table_column>* columns);
void append_table_row(std::string& out, const resource_info& info, const stored_object& object, const rendering& r,
                      const std::vector<table_column>& columns, wall_time now);

/// Returns a table of one row. `columns`: include the column definitions.
[[nodiscard]] std::string make_table(const resource_info& info, const stored& object, const rendering& r,
                                     std::string_view metadata, bool columns, wall_time now);

/// Returns the table of a bookmark: one row with the cells of an empty object and the bookmark's metadata.
[[nodiscard]] std::string make_bookmark_table(const resource_info& info, const rendering& r, std::string_view metadata,
                                              std::string_view object_metadata, bool columns);

} // namespace kubecoro::apiserver
