// Describes the differences between two versions of an object.
#pragma once

#include <kubecoro/api/object.hpp>

#include <cstddef>
#include <string>

namespace kubecoro::tool {

/** "spec.replicas: 3 -> 5, status.conditions[Ready].status: True -> False, 2 more".

    Leaves out what changes with every write: resourceVersion, generation and managedFields; and kubectl's copy of the object.
    Names the keys of a Secret whose data have changed, without values.
    @param most  Changes named before "N more". */
[[nodiscard]] std::string describe_change(const object& before, const object& after, std::size_t most = 2);

} // namespace kubecoro::tool
