#pragma once

#include "results.hpp"
#include "table.hpp"

#include <vector>

namespace kubecoro::bench {

/** The headline table: for each kind of work kubecoro's number, the best of client-go's subjects, the best of
    kube-rs's, and kubecoro's as a share of theirs.

    Subjects without managedFields are not compared with those that store whole objects. */
[[nodiscard]] table summary_table(const std::vector<row>& rows);

} // namespace kubecoro::bench
