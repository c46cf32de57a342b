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

// Each brings a child to what the website says. They set what they care about and keep the rest, so that defaults of the
// server are no difference. An object of that name which another one controls, or nobody, fails with cond::already_exists:
// the right to create websites gives no access to other objects by their names.

[[nodiscard]] result<> shape(const object& owner, const website& site, core_v1::config_map& pages);
[[nodiscard]] result<> shape(const object& owner, const website& site, apps_v1::deployment& d);
[[nodiscard]] result<> shape(const object& owner, const website& site, core_v1::service& s);

/// What Ready says, given the deployment; null = not there yet.
struct readiness
{
    bool ready = false;
    std::int32_t replicas = 0;
    std::string reason = {};
    std::string message = {};
};
[[nodiscard]] readiness readiness_of(const website& site, const typed_object<apps_v1::deployment>& d);

} // namespace kubecoro::website_operator
