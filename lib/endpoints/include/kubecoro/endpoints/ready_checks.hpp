#pragma once
// Ready-made checks.

#include <kubecoro/base/clock.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/controller/controller.hpp>
#include <kubecoro/endpoints/health_check.hpp>

#include <functional>
#include <optional>
#include <vector>

namespace kubecoro {

/// Succeeds when every informer has its first list; names the first that has not. For /readyz.
[[nodiscard]] health_check informers_synced(std::function<std::vector<shared_informer<object>>()> informers);
/// The same for all informers of a factory, which must outlive the check.
[[nodiscard]] health_check informers_synced(const informer_factory& informers);

/// Succeeds while the controller runs its reconciler, and names its phase otherwise. For /readyz.
[[nodiscard]] health_check controller_running(std::function<controller_stats()> stats);
/// The same for a controller, which must outlive the check.
[[nodiscard]] health_check controller_running(const controller<object>& c);

/** Fails when a leader has not renewed its lease for too long, as it does when the elector hangs. For /livez.

    @param since_renewal  Time since the last renewal; empty while this program does not lead.
    @param most           The lease's duration and what is tolerated beyond it. */
[[nodiscard]] health_check lease_renewed(std::function<std::optional<duration>()> since_renewal, duration most);

} // namespace kubecoro
