// Snippets of docs/guide/types.md about generated types.
#include <kubecoro/api/crd.hpp>
#include <kubecoro/api/described.hpp>
#include <kubecoro/apps_v1/deployment.hpp>
#include <kubecoro/core_v1/pod.hpp>
#include <kubecoro/kubecoro.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace kubecoro;
using namespace kubecoro::literals;

//[view
// Reads the pod in place: no copy, no allocation.
int restarts(const typed_object<core_v1::pod>& pod)
{
    int sum = 0;
    for (const auto status : pod->status().containerStatuses()) sum += status.restartCount();
    return sum;
}
//]

//[build
// Sends the fields that are set, and no others.
apps_v1::deployment wanted(const std::string& name, const std::string& image, int replicas)
{
    core_v1::container web{.name = "web", .image = image, .ports = {{.containerPort = 8080}}};
    web.resources.limits["memory"] = "64Mi"_quantity;
    return {.metadata = {.name = name},
            .spec = {.replicas = replicas,
                     .selector = meta_v1::label_selector{.matchLabels = {{"app", name}}},
                     .template_ = {.metadata = {.labels = {{"app", name}}}, .spec = {.containers = {std::move(web)}}}}};
}
//]

//[change
// Fields that this version does not know are written back as they came.
result<std::string> with_node(const typed_object<core_v1::pod>& pod, std::string node)
{
    auto changed = read_struct(pod);
    if (!changed) return changed.error();
    changed->spec.nodeName = std::move(node);
    changed->spec.securityContext.ensure().runAsNonRoot = true;
    return to_text(*changed);
}
//]

} // namespace

//[described
namespace shop {

struct site_spec
{
    std::string host;
    std::optional<int> replicas;
};
BOOST_DESCRIBE_STRUCT(site_spec, (), (host, replicas))

struct site
{
    static kubecoro::resource_type resource() { return {"example.com", "v1", "sites", "Site"}; }
    kubecoro::meta_v1::object_meta metadata;
    site_spec spec;
    kubecoro::other_fields other_fields; // keeps fields that the struct does not know
};
BOOST_DESCRIBE_STRUCT(site, (), (metadata, spec))

} // namespace shop

kubecoro::result<std::string> host_of(const kubecoro::object& o)
{
    auto site = kubecoro::read_struct<shop::site>(o);
    if (!site) return site.error();
    return site->spec.host;
}
//]

//[definition
namespace farm {

struct field_spec
{
    std::string soil;
    int rows = 1;
    std::vector<std::string> crops;
    static std::vector<kubecoro::field_rule> field_rules()
    {
        return {{.field = "soil", .required = true, .one_of = {"clay", "sand"}},
                {.field = "rows", .default_value = 1, .minimum = 1, .maximum = 100},
                {.field = "crops", .description = "In the order of rotation.", .max_items = 5},
                {.field = "crops[]", .pattern = "^[a-z]+$"}};
    }
};
BOOST_DESCRIBE_STRUCT(field_spec, (), (soil, rows, crops))

struct field_status
{
    std::optional<int> rows;
};
BOOST_DESCRIBE_STRUCT(field_status, (), (rows))

struct field
{
    static kubecoro::resource_type resource() { return {"farm.example.com", "v1", "fields", "Field"}; }
    kubecoro::meta_v1::object_meta metadata;
    field_spec spec;
    field_status status;
};
BOOST_DESCRIBE_STRUCT(field, (), (metadata, spec, status))

} // namespace farm

// For `operator --print-crd | kubectl apply -f -`.
kubecoro::result<std::string> print_crd()
{
    return kubecoro::crd_yaml<farm::field>(
        {.short_names = {"fd"},
         .version = {.scale = kubecoro::scale_paths{.wanted = ".spec.rows", .present = ".status.rows"},
                     .columns = {{.name = "Soil", .json_path = ".spec.soil"}}}});
}
//]

int main()
{
    const core_v1::pod pod{.metadata = {.name = "web"}, .spec = {.nodeName = "a"}};
    const auto o = to_object(pod).value();
    return restarts(o) + static_cast<int>(wanted("web", "web:1", 2).spec.replicas.value_or(0)) +
           static_cast<int>(with_node(o, "b").has_value()) + static_cast<int>(host_of(o.untyped()).has_value()) +
           static_cast<int>(print_crd().has_value());
}
