#include "model/openapi_path.hpp"

namespace kubecoro::codegen {

namespace {

/// Takes the first part, between slashes, from a path. Empty at its end.
std::string_view take_part(std::string_view& path)
{
    if (!path.starts_with('/')) return {};
    path.remove_prefix(1);
    const auto part = path.substr(0, path.find('/'));
    path.remove_prefix(part.size());
    return part;
}

} // namespace

std::optional<openapi_path> read_openapi_path(std::string_view path)
{
    openapi_path out;
    const auto root = take_part(path);
    if (root != "api" && root != "apis") return std::nullopt;
    if (root == "apis") out.group = take_part(path);
    out.version = take_part(path);
    constexpr std::string_view in_namespace = "/namespaces/{namespace}/";
    out.namespaced = path.starts_with(in_namespace);
    if (out.namespaced) path.remove_prefix(in_namespace.size() - 1);
    out.plural = take_part(path);
    if (path == "/{name}") path = {};
    const bool is_word = !out.plural.empty() && out.plural.front() != '{';
    if (!path.empty() || !is_word) return std::nullopt;
    return out;
}

} // namespace kubecoro::codegen
