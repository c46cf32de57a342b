#pragma once

#include "operator/operator_flags.hpp"

#include <string>

namespace kubecoro::detail {

/// Declares the rights of the program's own endpoints.
void declare_rights_of_endpoints(const operator_options& o, manager& m);

/** The manifest with what an operator declares, for a service account of its name in that namespace. Asks no server: the
    set-up gets a manager whose requests fail.

    @par Errors  those of the set-up. */
[[nodiscard]] result<std::string> rbac_of(operator_options o, const operator_setup& setup, const std::string& ns);

/** The manifests of the objects that lead a server to the operator's webhooks in that namespace, and of rbac_of().

    @par Errors  those of the set-up; not_found when there are no webhooks. */
[[nodiscard]] result<std::string> webhooks_of(operator_options o, const operator_setup& setup, const std::string& ns);

/** The manifests with what an operator declares for the clusters of manager::clusters(), to be applied in each of them: one for each
    set, for a service account of the operator's and the set's name in that namespace.

    @par Errors  those of the set-ups; not_found when there are no such clusters. */
[[nodiscard]] result<std::string> cluster_rbac_of(operator_options o, const operator_setup& setup,
                                                  const std::string& ns);

} // namespace kubecoro::detail
