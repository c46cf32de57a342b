// Families of series, by kind: their names, types, help texts, and how they are read from an object.
#pragma once

#include "series.hpp"

#include <kubecoro/api/object.hpp>
#include <kubecoro/api/resource.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::cluster_metrics {

/// Names of labels that become labels of series; `*` is all of them.
using label_names = std::vector<std::string>;

/// One object as a family sees it.
struct subject
{
    const object& o;
    /// The part of it that the family reads.
    value_view part;
    const label_names& shown;
};

/// Writes the series of one object.
using series_writer = void (*)(const subject& s, series_sink& out);

enum class family_type
{
    gauge,
    counter
};

/// Finds the part of an object that a family reads. Families that follow each other often share a part.
using part_finder = value_view (*)(value_view object);

/// Most are made by series_of() and value_of() of typed_family.hpp.
struct family
{
    std::string_view name;
    /// As kube-state-metrics has it, with its mark of stability.
    std::string_view help;
    series_writer write;
    /// Null: the writer needs no more than the object.
    part_finder find = nullptr;
    family_type type = family_type::gauge;
};

struct series_kind
{
    resource_type resource;
    identity_labels labels;
    std::span<const family> families;
    /// Fields that the families read: nothing else is stored. Empty = metadata is enough, and the server sends no more.
    std::vector<std::string> keep = {};
};

/// All kinds, in the order in which they are served.
[[nodiscard]] const std::vector<series_kind>& all_kinds();

[[nodiscard]] series_kind pods();
[[nodiscard]] series_kind nodes();
[[nodiscard]] series_kind deployments();
[[nodiscard]] series_kind replica_sets();
[[nodiscard]] series_kind stateful_sets();
[[nodiscard]] series_kind daemon_sets();
[[nodiscard]] series_kind jobs();
[[nodiscard]] series_kind cron_jobs();
[[nodiscard]] series_kind services();
[[nodiscard]] series_kind namespaces();
[[nodiscard]] series_kind config_maps();
[[nodiscard]] series_kind secrets();
[[nodiscard]] series_kind persistent_volumes();
[[nodiscard]] series_kind persistent_volume_claims();
[[nodiscard]] series_kind horizontal_pod_autoscalers();

} // namespace kubecoro::cluster_metrics
