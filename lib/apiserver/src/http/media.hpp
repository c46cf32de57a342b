// Content negotiation: selects the representation of an answer from the Accept header.
#pragma once

#include <kubecoro/apiserver/status_error.hpp>

#include <string>
#include <string_view>

namespace kubecoro::apiserver {

enum class representation
{
    json,
    table,
    /// PartialObjectMetadata; for lists, PartialObjectMetadataList.
    partial,
    /// PartialObjectMetadataList was requested; valid for lists only.
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

/// Selects the representation for a resource request. Errors: 406.
[[nodiscard]] answer<media_choice> choose_media(std::string_view accept);

/// The same for discovery, which also supports the aggregated form.
[[nodiscard]] answer<media_choice> choose_discovery_media(std::string_view accept);

} // namespace kubecoro::apiserver
