#include "live/workbench.hpp"
#include "objects/conditions.hpp"
#include "state/admission.hpp"
#include "text/json_text.hpp"

namespace kubecoro::apiserver::live {

/// A node has the taint that it was created with until it is ready, and again while it is not.
void run_node(const workbench& w, const json::value& node)
{
    auto next = node;
    if (set_not_ready_taint(next, !has_condition(node, "Ready"))) w.update("nodes", std::move(next));
}

} // namespace kubecoro::apiserver::live
