#pragma once
// The nodes of one YAML document, read by libyaml as go-yaml, its port in Go, reads them.

#include <kubecoro/base/failure.hpp>

#include <boost/system/result.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// A place in a text, from 0.
struct yaml_place
{
    std::size_t line = 0;
    std::size_t column = 0;
};

struct yaml_problem
{
    yaml_place at;
    std::string what;
};

[[noreturn]] inline void throw_exception_from_error(const yaml_problem& problem, const boost::source_location& where)
{
    throw_exception_from_error(failure(cond::corrupt, problem.what), where);
}

/// The nodes in a container follow it, up to `end`; in a map, keys and values in turn.
struct yaml_node
{
    enum class kind
    {
        scalar,
        sequence,
        map,
        alias,
    };

    kind is = kind::scalar;
    /// Nothing but its text says of which type a scalar is: no quotes, no tag.
    bool implicit = false;
    yaml_place at = {};
    /// Text of a scalar, name of an alias.
    std::string text = {};
    std::string tag = {};
    /// The number of the node behind this one and what it contains.
    std::size_t end = 0;
    /// The number of the node that an alias stands for.
    std::size_t target = 0;
};

/// The nodes of the first document; none for a text without a document. The rest of the text is not read.
/// @param most_nodes, most_depth  Bounds on what is built.
[[nodiscard]] boost::system::result<std::vector<yaml_node>, yaml_problem>
read_yaml_nodes(std::string_view text, std::size_t most_nodes, std::size_t most_depth);

} // namespace kubecoro::detail
