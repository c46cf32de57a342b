// The paths of an OpenAPI document that say where objects of a kind are.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::codegen {

/// The path of a resource's objects, or of one of them.
struct openapi_path
{
    /// Empty for the core group.
    std::string group = {};
    std::string version = {};
    std::string plural = {};
    /// Whether it is that of the objects in one namespace.
    bool namespaced = false;
};

/** Reads `/apis/GROUP/VERSION/PLURAL`, with `/namespaces/{namespace}` before the plural or `/{name}` behind it, and
    `/api/VERSION/...` likewise. None for other paths: those of subresources, of whole groups, and of old watches. */
[[nodiscard]] std::optional<openapi_path> read_openapi_path(std::string_view path);

} // namespace kubecoro::codegen
