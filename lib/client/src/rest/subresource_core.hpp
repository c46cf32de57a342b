#pragma once
// Bodies of requests to subresources, and what their answers say. Sans-io.

#include <kubecoro/api/object.hpp>
#include <kubecoro/client/subresources.hpp>

#include <string>
#include <string_view>

namespace kubecoro::detail {

/// Reads a Scale. Errors: corrupt for any other kind.
[[nodiscard]] result<scale_state> read_scale(const object& o);
/// A merge patch. @param resource_version  A precondition; empty = none.
[[nodiscard]] std::string scale_patch(std::int64_t replicas, std::string_view resource_version);
/// Says that the kind has no scale, if the server's answer to a request for it means that.
[[nodiscard]] failure scale_failure(const failure& f, const resource_type& resource);

[[nodiscard]] std::string eviction_body(std::string_view ns, std::string_view pod, const delete_options& o);
/// Says what a refused eviction means.
[[nodiscard]] failure eviction_failure(const failure& f);
/// Reads the answer to an eviction that was accepted: a pod of several budgets is refused by a Status in it. Errors:
/// that Status.
[[nodiscard]] result<> read_eviction(std::string_view body);

[[nodiscard]] result<std::string> token_request_body(const token_options& o);
/// Reads a TokenRequest. Errors: corrupt for any other kind, and without a token.
[[nodiscard]] result<service_account_token> read_token(const object& o);

/// A strategic merge patch. Errors: invalid for a container without a name.
[[nodiscard]] result<std::string> ephemeral_container_patch(const boost::json::value& container);

[[nodiscard]] result<std::string> binding_body(std::string_view ns, std::string_view pod, std::string_view node,
                                               std::string_view pod_uid);

} // namespace kubecoro::detail
