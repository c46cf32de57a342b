#pragma once
// Ready-made checks.

#include <kubecoro/base/clock.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/controller/controller.hpp>
#include <kubecoro/endpoints/health_checks.hpp>

#include <functional>
#include <optional>
#include <vector>

namespace kubecoro {

/// Succeeds when every informer has its first list; names the first that has not. For /readyz.
[[nodiscard]] health_check informers_synced(std::function<std::vector<shared_informer<object>>()> informers);
/// The same for all informers of a factory, which must outlive the check.
[[nodiscard]] health_check informers_synced(const informer_factory& informers);

/** Fails when a synced informer may show an older state than the cluster has had for `most`: no event, bookmark or list has shown
    that it is current (informer_stats::store_age), as while the API server is unreachable, or answers with old lists only.

    A kube-apiserver sends a bookmark a minute: several minutes suit it. For /readyz; or for /livez, where the program is then
    restarted.
    @param most  More than 0. */
[[nodiscard]] health_check informers_current(std::function<std::vector<shared_informer<object>>()> informers,
                                             duration most);
/// The same for all informers of a factory, which must outlive the check.
[[nodiscard]] health_check informers_current(const informer_factory& informers, duration most);

/// Succeeds while the controller runs its reconciler, and names its phase otherwise. For /readyz.
[[nodiscard]] health_check controller_running(std::function<controller_stats()> stats);
/// The same for a controller, which must outlive the check.
[[nodiscard]] health_check controller_running(const controller<object>& c);

/** Fails when a leader has not renewed its lease for too long, as it does when the elector hangs. For /livez.

    @param since_renewal  Time since the last renewal; empty while this program does not lead.
    @param most           The lease's duration and what is tolerated beyond it. */
[[nodiscard]] health_check lease_renewed(std::function<std::optional<duration>()> since_renewal, duration most);

} // namespace kubecoro
