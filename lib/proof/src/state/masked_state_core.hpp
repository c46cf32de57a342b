// States of a cluster, without what differs between two runs that came to the same end.
#pragma once

#include <boost/json/object.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace kubecoro::testing::detail {

/// The annotation that users of the check write to touch an object. A mask leaves it out.
inline constexpr std::string_view touched_annotation = "proof.kubecoro.dev/touched";

/// An object of a dump of the embedded server.
struct seen_object
{
    /// "configmaps" or "deployments.apps".
    std::string resource;
    std::string ns;
    std::string name;
    std::string uid;
    boost::json::object whole;

    /// "configmaps default/one", without the namespace for kinds that have none.
    [[nodiscard]] std::string key() const;
};

/// Lines of a dump. The text that they view outlives them.
using dump_lines = std::unordered_set<std::string_view>;
[[nodiscard]] dump_lines lines_of(std::string_view dump);

/// The objects of a dump, but for the lines that are known, Leases and events.
[[nodiscard]] std::vector<seen_object> objects_of(std::string_view dump, const dump_lines& known);

/// "2026-01-01T00:00:00Z", with or without fractions.
[[nodiscard]] bool is_time(std::string_view s);
/// @param path  Such as "status.checkedBy".
void erase_path(boost::json::object& o, std::string_view path);

/// Objects by key, as JSON.
using masked_state = std::map<std::string, std::string>;

/** Leaves out versions, generations, uids and managers of fields; puts a word for times, addresses, and the names that a server
    makes. A generation that a status names is current or old. An owner that is gone is named so.

    @param ignored  Paths, as operator_check_options::ignored has them. */
[[nodiscard]] masked_state mask(std::vector<seen_object> objects, const std::vector<std::string>& ignored);

/// The differences of two states, as sentences, at most `most`.
[[nodiscard]] std::vector<std::string> differences(const masked_state& wanted, const masked_state& found,
                                                   std::size_t most);

} // namespace kubecoro::testing::detail
