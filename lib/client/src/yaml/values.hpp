#pragma once
// JSON values of the nodes of a YAML document, as sigs.k8s.io/yaml converts them.

#include "yaml/nodes.hpp"

#include <boost/json/value.hpp>
#include <boost/system/result.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace kubecoro::detail {

/// Bounds on what a document may become.
struct yaml_limits
{
    /// Nodes, aliases counted as often as they are used.
    std::size_t nodes;
    /// Bytes of keys and texts.
    std::size_t bytes;
    std::size_t depth;
    std::size_t key_comparisons;
};

/// @param nodes  Not empty. @param duplicates  Gets the keys that a map has twice, as go-yaml's strict reading words them.
[[nodiscard]] boost::system::result<boost::json::value, yaml_problem>
value_of_nodes(const std::vector<yaml_node>& nodes, const yaml_limits& limits, std::vector<std::string>& duplicates);

} // namespace kubecoro::detail
