#pragma once
// Creates objects, list pages and watch events for scripts.

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/object.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::testing {

/// The contents of an object that make_object creates.
struct object_spec
{
    /// apiVersion.
    std::string api_version = "v1";
    /// The kind.
    std::string kind = "Pod";
    /// Empty for cluster-scoped objects.
    std::string ns = {};
    /// metadata.name.
    std::string name = {};
    /// metadata.resourceVersion.
    std::string resource_version = {};
    /// Empty: derived from namespace and name, so that it is the same for every version.
    std::string uid = {};
    /// Labels, as pairs of key and value.
    std::vector<std::pair<std::string, std::string>> labels = {};
    /// Further members of the object as JSON text, e.g. `"spec":{"nodeName":"n1"}`; empty for none.
    std::string members = {};
};

/// Throws kubecoro::error when `members` is not valid JSON.
[[nodiscard]] object make_object(const object_spec& spec);
/// A Pod: make_pod("web", "a", "17").
[[nodiscard]] object make_pod(std::string_view ns, std::string_view name, std::string_view resource_version,
                              std::string_view node = {});

/// A page of a list.
[[nodiscard]] list_page make_page(std::vector<object> items, std::string resource_version,
                                  std::string continue_token = {});

/// An ADDED line.
[[nodiscard]] watch_event added(object o);
/// A MODIFIED line.
[[nodiscard]] watch_event modified(object o);
/// A DELETED line.
[[nodiscard]] watch_event deleted(object o);
/// @param ends_initial_events  Adds the annotation that ends a streamed list.
[[nodiscard]] watch_event bookmark(std::string_view resource_version, bool ends_initial_events = false,
                                   std::string_view kind = "Pod", std::string_view api_version = "v1");
/// An ERROR event, e.g. error_event(410, "Expired", "too old resource version: 1 (5)").
[[nodiscard]] watch_event error_event(int code, std::string reason, std::string message = {});
/// An event of an unknown type.
[[nodiscard]] watch_event unknown_event(std::string type);

/// The failure that the client makes from a Status answer of the server.
[[nodiscard]] failure server_failure(int code, std::string reason, std::string message = {});

} // namespace kubecoro::testing
