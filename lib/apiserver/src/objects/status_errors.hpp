// Status errors with the wording of kube-apiserver, and their JSON.
#pragma once

#include "objects/registry.hpp"

#include <kubecoro/api/validation.hpp>
#include <kubecoro/apiserver/detail/http_types.hpp>
#include <kubecoro/apiserver/detail/status_error.hpp>

#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver::errors {

[[nodiscard]] status_error make(int code, std::string reason, std::string message);

[[nodiscard]] status_error not_found(const resource_info& info, std::string_view name);
/// 403 for an object, for every user.
[[nodiscard]] status_error forbidden(const resource_info& info, std::string_view name, std::string_view why);
/// 404 for an unknown resource in a built-in group.
[[nodiscard]] status_error no_such_resource();
/// 404 as text/plain: "404 page not found".
[[nodiscard]] status_error no_such_page();
[[nodiscard]] status_error already_exists(const resource_info& info, std::string_view name, bool being_deleted);
/// 409 for an object whose name was generated.
[[nodiscard]] status_error no_unique_name(const resource_info& info, std::string_view name);
[[nodiscard]] status_error conflict(const resource_info& info, std::string_view name);
[[nodiscard]] status_error bad_request(std::string message);
/// The name of an object is not that of the URL. @param name  Empty: the object has none, and needs one.
[[nodiscard]] status_error other_name(std::string_view name, const std::string& url_name);
/// The namespace of an object is not that of the URL.
[[nodiscard]] status_error other_namespace();
/// 500 without a reason.
[[nodiscard]] status_error internal(std::string message);
[[nodiscard]] status_error method_not_allowed();
[[nodiscard]] status_error unauthorized();
[[nodiscard]] status_error too_large();
[[nodiscard]] status_error expired(std::string message);
[[nodiscard]] status_error future_version(std::uint64_t asked, std::uint64_t current);
[[nodiscard]] status_error unsupported_patch_body();

/// Bounds the number of causes in a refusal.
[[nodiscard]] inline bool enough(const std::vector<status_cause>& causes) noexcept { return causes.size() >= 100; }

/// Causes of a 422; its message lists them as "metadata.name: Required value: ...".
[[nodiscard]] status_cause invalid_value(std::string field, std::string_view shown, std::string_view why);
[[nodiscard]] status_cause required(std::string field, std::string_view why = {});
[[nodiscard]] status_cause duplicate(std::string field, std::string_view shown);
/// The value names something that is not there.
[[nodiscard]] status_cause absent_value(std::string field, std::string_view shown);
[[nodiscard]] status_cause forbidden_field(std::string field, std::string_view why);
[[nodiscard]] status_cause not_supported(std::string field, std::string_view shown, std::string_view supported);
[[nodiscard]] status_cause too_many(std::string field, std::size_t count, std::size_t most);
[[nodiscard]] status_cause too_long(std::string field, std::string_view bytes);

/// 422 for an object: `Pod "x" is invalid: ...`. `kind` is "Pod" or "Deployment.apps".
[[nodiscard]] status_error invalid(std::string_view kind, std::string_view group, std::string_view name,
                                   std::vector<status_cause> causes);
[[nodiscard]] status_error invalid(const resource_info& info, std::string_view name, std::vector<status_cause> causes);
/// 422 for options: `ListOptions.meta.k8s.io "" is invalid: ...`.
[[nodiscard]] status_error invalid_options(std::string_view kind, std::vector<status_cause> causes);

} // namespace kubecoro::apiserver::errors

namespace kubecoro::apiserver {

/// Returns the Status object as compact JSON without a newline.
[[nodiscard]] std::string status_text(const status_error& e);

/// Returns the Status of a request that was carried out.
[[nodiscard]] std::string success_text(int code);

/// Returns the HTTP response for the error.
[[nodiscard]] http_response respond(const status_error& e);

/// encoding/json's name of the type of a value.
[[nodiscard]] std::string_view go_kind(const boost::json::value& v);

/// Refuses a value whose JSON type does not fit its Go field. @param field  "Secret.data". @param wanted  The Go type.
[[nodiscard]] status_error wrong_type(const std::string& kind, std::string_view version,
                                      const boost::json::value& found, std::string_view field, std::string_view wanted);

/// Appends the causes of a refusal.
void append_causes(std::vector<status_cause>& causes, const std::vector<field_error>& errors);

} // namespace kubecoro::apiserver
