// Renders Table responses, as requested by `kubectl get`: the columns of each kind, the cells of its objects, and the rows of both.
#pragma once

#include "objects/registry.hpp"
#include "render/render.hpp"

#include <kubecoro/base/clock.hpp>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

[[nodiscard]] std::vector<table_column> table_columns(const resource_info& info, std::string_view version);

/// Returns one cell per column. An object without metadata (a bookmark) yields cells with zero values.
[[nodiscard]] boost::json::array table_cells(const resource_info& info, const std::vector<table_column>& columns,
                                             const boost::json::value& body, wall_time now);

/// Formats a duration as Kubernetes does: "3d4h", "5m10s"; "<invalid>" below -1 s.
[[nodiscard]] std::string human_duration(std::chrono::seconds d);

/// The cells of a pod.
struct pod_summary
{
    /// "1/2".
    std::string ready;
    /// "Running", "CrashLoopBackOff", "Init:0/1", ...
    std::string status;
    /// "0", or with the last one "3 (5m ago)".
    std::string restarts;
    /// "1/2": the readiness gates that are met. Empty if there are none.
    std::string gates;
};

/// By the rules of kube-apiserver.
[[nodiscard]] pod_summary summarise_pod(const boost::json::value& pod, wall_time now);

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
