// The names of webhooks: their paths, their names in configurations, and what options a server accepts. Sans-io.
#pragma once

#include <kubecoro/api/resource.hpp>
#include <kubecoro/webhooks/webhooks_options.hpp>

#include <string>

namespace kubecoro::detail {

/// A webhook as a server knows it.
struct hook_entry
{
    resource_type type = {};
    bool mutates = false;
    admission_options options = {};

    /// Such as "/validate-apps-v1-deployment", as controller-runtime names them; behind it subresource and name.
    [[nodiscard]] std::string path() const;
    /// Such as "validate.deployments.apps". Has at least two dots, as the server demands.
    [[nodiscard]] std::string name() const;
};

/// The path of all conversions.
inline constexpr const char* conversion_path = "/convert";

/// Errors: cond::misconfigured, with the option: a name that is no DNS label, no operation, a timeout or selector that the
/// server refuses, a mutating webhook of deletions.
[[nodiscard]] result<> check_hook(const hook_entry& hook);

} // namespace kubecoro::detail
