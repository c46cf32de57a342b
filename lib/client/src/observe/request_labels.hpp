#pragma once
// The labels of a request in metrics: bounded, whatever a program asks for and a server answers. Sans-io.

#include <string>
#include <string_view>

namespace kubecoro::detail {

/// "GET", ...; "other" for an unusual method. Static storage.
[[nodiscard]] std::string_view method_label(std::string_view method) noexcept;

/// "200" for the codes that Kubernetes uses, "4xx" for others, "<error>" (as in client-go) for 0, no response. Static
/// storage.
[[nodiscard]] std::string_view code_label(int status) noexcept;

/** "pods", "deployments.apps", "pods/status"; "none" for discovery and other paths, "other" for what is no name of a
    resource. Names of objects and namespaces never appear.

    @param target  Path and query of the request. */
[[nodiscard]] std::string resource_label(std::string_view target);

/// Whether the response may have no end: a watch, or a log that is followed. Its parameter counts, whatever its value.
[[nodiscard]] bool is_stream(std::string_view target) noexcept;

} // namespace kubecoro::detail
