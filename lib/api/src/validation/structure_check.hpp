// The rules of a schema that are not JSON Schema's: lists that are sets or maps, and embedded resources.
#pragma once

#include "validation/findings.hpp"
#include "validation/schema_node.hpp"

namespace kubecoro::detail {

/// No two items of a set are equal, and no two items of a map have the same keys.
void check_lists(const schema_node& node, const boost::json::value& v, step_budget& budget, findings& out);

/// An embedded resource has a kind and an apiVersion.
void check_embedded(const schema_node& node, const boost::json::value& v, step_budget& budget, findings& out);

} // namespace kubecoro::detail
