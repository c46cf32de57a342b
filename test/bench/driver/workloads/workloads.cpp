#include "workloads.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace kubecoro::bench {

workload workload_named(std::string_view name)
{
    static constexpr std::array<std::pair<std::string_view, workload>, 11> all{{{"sync", run_sync},
                                                                                {"namespaces", run_sync},
                                                                                {"steady", run_steady},
                                                                                {"read", run_read},
                                                                                {"events", run_events},
                                                                                {"paced-1000", run_paced_1000},
                                                                                {"paced-5000", run_paced_5000},
                                                                                {"tail", run_tail},
                                                                                {"relist", run_relist},
                                                                                {"peak", run_peak},
                                                                                {"queue", run_queue}}};
    const auto* found = std::find_if(all.begin(), all.end(), [&](const auto& w) { return w.first == name; });
    return found == all.end() ? nullptr : found->second;
}

} // namespace kubecoro::bench
