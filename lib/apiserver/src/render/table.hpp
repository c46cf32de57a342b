// Tables, as `kubectl get` asks for them: columns per kind, cells per object.
#pragma once

#include "render/render.hpp"
#include "render/table_rows.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/** Up to the first row. The table ends with "]}".

    @param metadata  JSON of the table's own metadata. @param columns  Null: they are left out. */
void append_table_head(std::string& out, const rendering& r, std::string_view metadata,
                       const std::vector<table_column>* columns);
void append_table_row(std::string& out, const resource_info& info, const stored_object& object, const rendering& r,
                      const std::vector<table_column>& columns, wall_time now);

/// A table of one row.
[[nodiscard]] std::string make_table(const resource_info& info, const stored& object, const rendering& r,
                                     std::string_view metadata, bool columns, wall_time now);

/// The row of a bookmark: zero cells, the bookmark's metadata as its object.
[[nodiscard]] std::string make_bookmark_table(const resource_info& info, const rendering& r, std::string_view metadata,
                                              std::string_view object_metadata, bool columns);

} // namespace kubecoro::apiserver
