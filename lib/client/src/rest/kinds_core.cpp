#include "rest/kinds_core.hpp"

#include <algorithm>

namespace kubecoro::detail {

namespace {

// Far more kinds than a cluster has.
constexpr std::size_t most_kinds = 4096;

/// Removes the first segment of a path and returns it.
std::string_view take_segment(std::string_view& path)
{
    const auto segment = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), segment.size() + 1));
    return segment;
}

/// Whether a target is in a resource: the collection, an object, or a subresource.
bool is_in(const resource_type& type, std::string_view target)
{
    auto path = target.substr(0, target.find('?'));
    const auto root = "/apis/" + type.group + "/" + type.version + "/";
    if (!path.starts_with(root)) return false;
    path.remove_prefix(root.size());
    auto segment = take_segment(path);
    // In a namespace. The resource "namespaces" itself is built in.
    if (segment == "namespaces") {
        take_segment(path);
        segment = take_segment(path);
    }
    return segment == type.plural;
}

} // namespace

std::optional<resource_type> kept_kinds_core::known(const std::string& kind, time_point now)
{
    const auto found = kinds_.find(kind);
    if (found == kinds_.end()) return std::nullopt;
    auto& e = found->second;
    if (!e.missing || now - e.read_at < reread_interval) return e.type;
    e.read_at = now;
    return std::nullopt;
}

void kept_kinds_core::keep(const std::string& kind, const resource_type& found, time_point now)
{
    if (kinds_.size() < most_kinds || kinds_.contains(kind)) kinds_.insert_or_assign(kind, entry{found, now});
}

void kept_kinds_core::on_missing(std::string_view target)
{
    for (auto& [kind, e] : kinds_) e.missing = e.missing || is_in(e.type, target);
}

std::optional<body_kind> protobuf_body_kind(wire_form chosen, const resource_type& resource,
                                            std::string_view subresource, field_validation validation)
{
    if (chosen != wire_form::protobuf) return std::nullopt;
    if (validation != field_validation::unset && validation != field_validation::ignore) return std::nullopt;
    const auto* const schema = builtin_schemas::find_resource(resource.api_version(), resource.plural);
    if (schema == nullptr) return std::nullopt;
    auto name = resource.display_name();
    if (!subresource.empty()) name.append("/").append(subresource);
    // Other subresources have kinds of their own, such as Scale.
    const bool is_whole = subresource.empty() || subresource == "status";
    return body_kind{name + " " + resource.version, is_whole ? schema : nullptr};
}

} // namespace kubecoro::detail
