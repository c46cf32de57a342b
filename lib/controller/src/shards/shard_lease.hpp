#pragma once
// The Lease of a member: its name, its label and its annotation.

#include "shards/shard_core.hpp"

#include <kubecoro/api/object.hpp>

#include <boost/json/fwd.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/// Label of the Leases of a group.
inline constexpr std::string_view group_label = "shards.kubecoro.dev/group";
/// Annotation with the view of a member.
inline constexpr std::string_view view_annotation = "shards.kubecoro.dev/view";

/// "janitor-0123456789abcdef".
[[nodiscard]] std::string lease_name(std::string_view group, member_id m);
/// Empty for a Lease that is none of this group's by its name.
[[nodiscard]] std::optional<shard_lease> read_shard_lease(std::string_view group, const object& o);
/// Writes a view and a renewal into the Lease that was read or written last, or into new_object().
void write_shard_lease(boost::json::object& lease, std::string_view group, const std::string& holder,
                       const shard_view& view, duration lease_duration, const lease_labels& labels, wall_time now);

} // namespace kubecoro::detail
