// The operator: three controllers over shared informers.
#pragma once

#include "workload_reconciler.hpp"

#include <kubecoro/manager/manager.hpp>

#include <chrono>
#include <cstddef>
#include <memory>

namespace kubecoro::config_reloader {

struct reloader_options
{
    adoption first_sight = adoption::roll;
    /// Workloads of each kind processed concurrently.
    std::size_t workers = 4;
    /// A workload is rolled when its contents have not changed for this time: once for changes that come together. One
    /// whose contents keep changing is rolled after ten times as long. Zero = at once.
    duration settle = std::chrono::seconds{2};
    /// Time limit for one run on one workload.
    duration deadline = std::chrono::minutes{2};
};

/** Adds the controllers that roll Deployments, StatefulSets and DaemonSets that opt in when the contents that their pods
    read at the start have changed, and declares their rights.

    All state is in the workloads' annotations: the program may be stopped, started again and run twice at any time.
    @return  Totals over all three controllers. */
[[nodiscard]] std::shared_ptr<const reload_counts> add_reloader(manager& m, const reloader_options& options = {});

} // namespace kubecoro::config_reloader
