#include "website.hpp"

#include <kubecoro/api/crd.hpp>

namespace kubecoro::website_operator {

std::vector<field_rule> website_spec::field_rules()
{
    return {
        {.field = "pages", .description = "The files, by name: index.html. At most 1 MiB together.", .required = true},
        {.field = "replicas",
         .description = "Pods that serve the pages.",
         .default_value = 1,
         .minimum = 0,
         .maximum = 100},
        {.field = "image",
         .description = "Serves /usr/share/nginx/html on port 8080 as any user.",
         .default_value = default_image}};
}

std::vector<field_rule> website_spec_v1alpha1::field_rules()
{
    return {{.field = "files", .required = true},
            {.field = "size", .default_value = 1, .minimum = 0, .maximum = 100},
            {.field = "image", .default_value = default_image}};
}

std::vector<field_rule> website_status::field_rules()
{
    return {{.field = "replicas", .description = "Pods that are ready.", .default_value = 0}};
}

result<std::string> definition()
{
    crd_options o;
    o.short_names = {"site"};
    o.version.description = "Static pages, served by a Deployment behind a Service.";
    o.version.scale =
        scale_paths{.wanted = ".spec.replicas", .present = ".status.replicas", .selector = ".status.selector"};
    o.version.columns = {{.name = "Ready", .json_path = ".status.conditions[?(@.type==\"Ready\")].status"},
                         {.name = "Replicas", .json_path = ".status.replicas", .type = "integer"},
                         {.name = "URL", .json_path = ".status.url"},
                         {.name = "Age", .json_path = ".metadata.creationTimestamp", .type = "date"}};
    o.other_versions = {version_of<website_v1alpha1>({.deprecation_warning = "use web.kubecoro.dev/v1"})};
    return crd_yaml<website>(o);
}

} // namespace kubecoro::website_operator
