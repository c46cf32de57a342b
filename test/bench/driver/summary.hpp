#pragma once

#include "results.hpp"
#include "table.hpp"

#include <vector>

namespace kubecoro::bench {

/** What a newcomer wants to see first: of each kind of work ours, the best that client-go does in any of its forms, the best
    of kube-rs, and ours as a share of theirs.

    Subjects that leave out managedFields are not compared with those that keep everything. */
[[nodiscard]] table summary_table(const std::vector<row>& rows);

} // namespace kubecoro::bench
