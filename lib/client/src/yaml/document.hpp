#pragma once
// The steps from a YAML or JSON text to values: nodes, read by libyaml as go-yaml, its port in Go, reads them; the types
// of scalars, as go-yaml resolves them; values, as sigs.k8s.io/yaml converts them. JSON as Go's decoder reads it from a stream.

#include <kubecoro/base/result.hpp>
#include <kubecoro/client/detail/yaml_text.hpp>

#include <boost/json/value.hpp>
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

struct json_prefix
{
    boost::json::value value;
    /// Bytes up to its end.
    std::size_t size = 0;
};

struct json_problem
{
    /// The position of the byte.
    std::size_t at = 0;
    std::string what = {};
    /// It is no JSON, and may be YAML. Else it is JSON that cannot be used.
    bool may_be_yaml = false;
};

[[noreturn]] inline void throw_exception_from_error(const json_problem& problem, const boost::source_location& where)
{
    throw_exception_from_error(failure(cond::corrupt, problem.what), where);
}

/// The first value of a text.
[[nodiscard]] boost::system::result<json_prefix, json_problem>
read_json_prefix(std::string_view text, std::size_t most_depth, std::size_t most_key_comparisons);

/// The place of a byte of a text.
[[nodiscard]] yaml_place place_in(std::string_view text, std::size_t at);

/** The value of a scalar. Infinite numbers and NaN are doubles, which JSON cannot hold.
    @param tag  Empty for none. @param implicit  Nothing but its text says of which type it is. @return errors: the reason. */
[[nodiscard]] boost::system::result<boost::json::value, problem_words>
resolve_yaml(const std::string& tag, const std::string& text, bool implicit);

/// The text of a number that is a key: with the fewest digits of single precision, as Go's `%g`.
[[nodiscard]] std::string yaml_key_text(double number);

/// The integer if the double is one that Go writes without a point or an exponent: 2.0 is 2.
[[nodiscard]] boost::json::value whole_number(double number);

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
