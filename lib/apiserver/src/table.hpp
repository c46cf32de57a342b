// Tables, as `kubectl get` asks for them: columns per kind, cells per object.
#pragma once

#include "render.hpp"
#include "table_rows.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// @param metadata  JSON of the table's own metadata.
[[nodiscard]] std::string make_table(const resource_info& info, const std::vector<stored>& objects, const rendering& r,
                                     std::string_view metadata, bool columns, wall_time now);

/// The row of a bookmark: zero cells, the bookmark's metadata as its object.
[[nodiscard]] std::string make_bookmark_table(const resource_info& info, const rendering& r, std::string_view metadata,
                                              std::string_view object_metadata, bool columns);

} // namespace kubecoro::apiserver
