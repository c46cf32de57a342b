// Content negotiation: in which form an answer is wanted.
#pragma once

#include <kubecoro/apiserver/status_error.hpp>

#include <string>
#include <string_view>

namespace kubecoro::apiserver {

enum class representation
{
    json,
    table,
    /// metadata only; for lists the list form of it.
    partial,
    /// PartialObjectMetadataList asked for; wrong for anything but a list.
    partial_list,
    /// Aggregated discovery.
    discovery
};

struct media_choice
{
    representation as = representation::json;
    /// Version of meta.k8s.io for tables: v1 or v1beta1.
    std::string version = "v1";
    std::string content_type = "application/json";
};

/// What to answer a resource request with. Errors: 406.
[[nodiscard]] answer<media_choice> choose_media(std::string_view accept);

/// The same for discovery, where the aggregated form may be asked for.
[[nodiscard]] answer<media_choice> choose_discovery_media(std::string_view accept);

} // namespace kubecoro::apiserver
