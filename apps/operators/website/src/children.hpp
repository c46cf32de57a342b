// The objects that a website consists of, as edits of what is there.
#pragma once

#include "website.hpp"

#include <kubecoro/api/object.hpp>
#include <kubecoro/apps_v1/deployment.hpp>
#include <kubecoro/core_v1/config_map.hpp>
#include <kubecoro/core_v1/service.hpp>

#include <string>
#include <string_view>

namespace kubecoro::website_operator {

/// Informers of children select by it.
inline constexpr std::string_view managed_by = "app.kubernetes.io/managed-by";
inline constexpr std::string_view manager_name = "website";

/// The name of the config map with the pages.
[[nodiscard]] std::string pages_name(std::string_view site);
/// "app.kubernetes.io/managed-by=website,app.kubernetes.io/instance=NAME".
[[nodiscard]] std::string pod_selector(std::string_view site);
[[nodiscard]] std::string url_of(std::string_view ns, std::string_view site);

/// A website's Deployment and Service have its name, so it must be a DNS label that begins with a letter. Errors: invalid.
[[nodiscard]] result<> check_name(std::string_view site);

// Each function gives a child the state that the website states. Fields that it does not set are kept, so that the
// server's defaults cause no further write. It fails with cond::already_exists if the website does not control the existing
// object of that name: the right to create websites gives no access to other objects.

[[nodiscard]] result<> shape(const object& owner, const website& site, core_v1::config_map& pages);
[[nodiscard]] result<> shape(const object& owner, const website& site, apps_v1::deployment& d);
[[nodiscard]] result<> shape(const object& owner, const website& site, core_v1::service& s);

/// The state of the condition Ready.
struct readiness
{
    bool ready = false;
    std::int32_t replicas = 0;
    std::string reason = {};
    std::string message = {};
};
/// @param d  Null if it does not exist yet.
[[nodiscard]] readiness readiness_of(const website& site, const typed_object<apps_v1::deployment>& d);

} // namespace kubecoro::website_operator
