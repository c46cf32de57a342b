// The kind that the operator works on. Its definition is made from these structs.
#pragma once

#include <kubecoro/api/described.hpp>
#include <kubecoro/api/field_rule.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/meta_v1/condition.hpp>
#include <kubecoro/meta_v1/object_meta.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::website_operator {

/// Listens on 8080, serves /usr/share/nginx/html, and runs without privileges.
inline constexpr const char* default_image = "docker.io/nginxinc/nginx-unprivileged:1.27-alpine";

struct website_spec
{
    /// By file name.
    std::map<std::string, std::string> pages = {};
    std::int32_t replicas = 1;
    std::string image = default_image;

    static std::vector<field_rule> field_rules();
};
BOOST_DESCRIBE_STRUCT(website_spec, (), (pages, replicas, image))

struct website_status
{
    /// Pods that serve it.
    std::int32_t replicas = 0;
    /// Selects these pods, for autoscalers.
    std::string selector = {};
    std::string url = {};
    std::vector<meta_v1::condition> conditions = {};

    static std::vector<field_rule> field_rules();
};
BOOST_DESCRIBE_STRUCT(website_status, (), (replicas, selector, url, conditions))

/// Static pages, served by a Deployment behind a Service.
struct website
{
    meta_v1::object_meta metadata = {};
    website_spec spec = {};
    website_status status = {};

    static resource_type resource() { return {"web.kubecoro.dev", "v1", "websites", "Website"}; }
};
BOOST_DESCRIBE_STRUCT(website, (), (metadata, spec, status))

/// The spec of the first version.
struct website_spec_v1alpha1
{
    /// Now `pages`.
    std::map<std::string, std::string> files = {};
    /// Now `replicas`.
    std::int32_t size = 1;
    std::string image = default_image;

    static std::vector<field_rule> field_rules();
};
BOOST_DESCRIBE_STRUCT(website_spec_v1alpha1, (), (files, size, image))

/// The first version, which the webhooks convert.
struct website_v1alpha1
{
    meta_v1::object_meta metadata = {};
    website_spec_v1alpha1 spec = {};
    website_status status = {};

    static resource_type resource() { return {"web.kubecoro.dev", "v1alpha1", "websites", "Website"}; }
};
BOOST_DESCRIBE_STRUCT(website_v1alpha1, (), (metadata, spec, status))

/// The definition, for kubectl apply.
[[nodiscard]] result<std::string> definition();

} // namespace kubecoro::website_operator
