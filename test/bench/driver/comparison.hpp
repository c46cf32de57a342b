#pragma once

#include "results.hpp"
#include "table.hpp"

#include <vector>

namespace kubecoro::bench {

/** Each subject beside itself at an earlier commit (before_mark): both medians and their ratio, after / before, for every
    metric that both have. Without lines when there is no earlier commit. */
[[nodiscard]] table comparison_table(const std::vector<row>& rows);

} // namespace kubecoro::bench
