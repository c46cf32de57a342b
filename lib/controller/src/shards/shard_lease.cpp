#include "shards/shard_lease.hpp"

#include <kubecoro/api/edit.hpp>

#include <boost/json/object.hpp>

namespace kubecoro::detail {

std::string lease_name(std::string_view group, member_id m) { return std::string(group) + '-' + member_text(m); }

std::optional<shard_lease> read_shard_lease(std::string_view group, const object& o)
{
    auto name = o.name();
    if (!name.starts_with(group)) return std::nullopt;
    name.remove_prefix(group.size());
    if (!name.starts_with('-')) return std::nullopt;
    const auto id = read_member(name.substr(1));
    if (!id) return std::nullopt;
    const auto common = read_lease(o);
    return shard_lease{.id = *id,
                       .record = common.record,
                       .view = read_view(o["metadata"]["annotations"][view_annotation].as_string()),
                       .resource_version = common.resource_version,
                       .uid = common.uid};
}

void write_shard_lease(boost::json::object& lease, std::string_view group, const std::string& holder,
                       const shard_view& view, duration lease_duration, const lease_labels& labels, wall_time now)
{
    write_lease(lease, {.holder = holder, .duration_seconds = lease_seconds(lease_duration)}, labels, now);
    set_label(lease, group_label, group);
    set_annotation(lease, view_annotation, view_text(view));
}

} // namespace kubecoro::detail
