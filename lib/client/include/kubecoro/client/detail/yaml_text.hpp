// Converts YAML into JSON values with the scalar types of YAML 1.1.
#pragma once

#include <boost/json/value.hpp>
#include <boost/system/result.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace YAML {
class Node;
}

namespace kubecoro::detail {

/** Comparisons of keys that building a document may take: those of one object of 10,000 members. Boost.JSON hashes keys by
    FNV-1a, salted by an address; whether two keys collide depends on eight bits of that. The author of the keys can force
    a comparison of each member with all earlier ones. */
inline constexpr std::size_t most_key_comparisons = 50'000'000;

struct yaml_document
{
    boost::json::value value;
    /// Keys that a map has twice, as kube-apiserver words it: `line 3: key "a" already set in map`.
    std::vector<std::string> duplicates;
};

/** Parses the first document with content; an empty text yields an empty object.
    @param most_nodes  In the whole text. Aliases count as often as they are used. @return errors: the reason, with the line. */
[[nodiscard]] boost::system::result<yaml_document, std::string> parse_yaml(std::string_view text,
                                                                           std::size_t most_nodes);

/// Parses all documents and returns the non-empty ones.
[[nodiscard]] boost::system::result<std::vector<boost::json::value>, std::string> parse_yaml_all(std::string_view text);

/// A YAML value that was parsed already. @param most_values  Aliases count as often as they are used.
[[nodiscard]] boost::system::result<boost::json::value, std::string> json_of(const YAML::Node& value,
                                                                             std::size_t most_values);

} // namespace kubecoro::detail
