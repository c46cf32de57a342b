// The rights of an operator's manifest, for a user of the cluster.
#pragma once

#include "cluster.hpp"

#include <string>

namespace kubecoro::e2e {

/** A client with exactly the rights of `file`: its roles are created with their bindings, under names of this case, for the user of
    KUBECORO_E2E_LIMITED_KUBECONFIG. Roles in the namespace `there` are made in `ns`, others in namespaces are not made. Without
    that kubeconfig it is the administrator's client. */
[[nodiscard]] client with_rights_of(cluster& c, const std::string& file, const std::string& there,
                                    const std::string& ns);

} // namespace kubecoro::e2e
