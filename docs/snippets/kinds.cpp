// Snippets of docs/guide/types.md about generated types.
#include <kubecoro/api/crd.hpp>
#include <kubecoro/api/described.hpp>
#include <kubecoro/apps_v1/deployment.hpp>
#include <kubecoro/core_v1/config_map.hpp>
#include <kubecoro/core_v1/pod.hpp>
#include <kubecoro/core_v1/secret.hpp>
#include <kubecoro/kubecoro.hpp>

#include <chrono>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace kubecoro;
using namespace kubecoro::literals;
namespace asio = boost::asio;

//[view
// Reads the pod in place: no copy, no allocation.
int restarts(const typed_object<core_v1::pod>& pod)
{
    int sum = 0;
    for (const auto status : pod->status().containerStatuses()) sum += status.restartCount();
    return sum;
}
//]

//[data
/// The token in a secret; a failure if there is none, or the text is not base64.
result<std::string> token_of(const typed_object<core_v1::secret>& secret)
{
    const auto encoded = secret->data()["token"];
    if (encoded.empty()) return failure(cond::not_found, "the secret has no token");
    auto token = encoded.decode();
    if (!token) return token.error();
    return std::move(token->data);
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

//[parts
/// A pod that writes what a view has said of it into a volume of its own.
core_v1::pod_spec with_scratch(const typed_object<core_v1::pod>& pod, std::string_view image)
{
    core_v1::container main{.name = std::string(pod.name()), // in braces a view needs the type's name
                            .volumeMounts = {{.name = "scratch", .mountPath = "/scratch"}},
                            .livenessProbe = {{.httpGet = {{.path = "/livez", .port = "health"}}}}};
    main.image = image; // an assignment does not
    return {.volumes = {{.name = "scratch", .emptyDir = {{}}}}, .containers = {std::move(main)}};
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

//[in_place
/// Finds sites by their host: one field is read in place, without making the struct.
kubecoro::result<> index_by_host(const kubecoro::shared_informer<shop::site>& sites)
{
    return sites.add_index("host", [](const kubecoro::typed_object<shop::site>& s, auto out) {
        out(s.untyped()["spec"]["host"].as_string());
    });
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

namespace {

//[informers
asio::awaitable<result<>> follow(informer_factory& informers)
{
    const auto pods = informers.get<core_v1::pod>({.label_selector = "app=shop"});
    pods.add_event_handler({.on_update = [](const updated<core_v1::pod>& e) {
        if (e.before->status().phase() != e.after->status().phase())
            std::cout << e.after.key() << " is " << e.after->status().phase() << '\n';
    }});
    informers.start();
    KUBECORO_TRY(co_await pods.has_synced());
    const auto web = pods.lister().get("shop", "web"); // typed_object<core_v1::pod>; null if there is none
    if (web) std::cout << "web runs on " << web->spec().nodeName() << '\n';

    const auto on_a_node = [](const typed_object<core_v1::pod>& p) { return p && !p->spec().nodeName().empty(); };
    const object_key cart("shop", "cart");
    KUBECORO_TRY(auto placed, co_await pods.wait_for(cart, on_a_node, std::chrono::seconds{30}));
    std::cout << "cart came to " << placed->spec().nodeName() << '\n';
    co_return result<>();
}
//]

//[writes
asio::awaitable<result<>> roll_out(client cluster, std::string image)
{
    const auto deployments = cluster.resource<apps_v1::deployment>("shop");
    const auto web = wanted("web", image, 2);
    // The fields that are set are this manager's from now on.
    KUBECORO_TRY(co_await deployments.apply(web, {.field_manager = "shop-operator"}));

    const object_key key("shop", "web");
    const auto grow = [](apps_v1::deployment& d) { d.spec.replicas = d.spec.replicas.value_or(1) + 1; };
    KUBECORO_TRY(auto done, co_await retry_on_conflict<apps_v1::deployment>(cluster, key, grow));
    std::cout << done.now.key() << " has version " << done.now.resource_version() << '\n';
    co_return result<>();
}
//]

//[controller
/// Keeps a config map for each deployment.
asio::awaitable<result<action>> reconcile(client cluster, const typed_object<apps_v1::deployment>& d)
{
    const object_key key(d.ns(), std::string(d.name()) + "-info");
    const auto edit = [&](core_v1::config_map& m) {
        m.data["replicas"] = std::to_string(d->spec().replicas().value_or(1));
        set_controller_reference(d, m);
    };
    KUBECORO_TRY(co_await create_or_update<core_v1::config_map>(cluster, key, edit));
    co_return action::done();
}

asio::awaitable<result<>> operate(client cluster, informer_factory& informers)
{
    const auto executor = co_await asio::this_coro::executor;
    const auto maps = informers.get<core_v1::config_map>();
    controller deployments(
        executor, informers.get<apps_v1::deployment>(),
        [&](const typed_object<apps_v1::deployment>& d, reconcile_context&) { return reconcile(cluster, d); },
        {.name = "deployments"});
    deployments.watch(maps, enqueue_owner<apps_v1::deployment>());
    informers.start();
    co_return co_await deployments.run();
}
//]

} // namespace
int main()
{
    const core_v1::pod pod{.metadata = {.name = "web"}, .spec = {.nodeName = "a"}};
    const core_v1::secret login{.metadata = {.name = "login"}};
    const auto o = to_object(pod).value();
    return restarts(o) + static_cast<int>(wanted("web", "web:1", 2).spec.replicas.value_or(0)) +
           static_cast<int>(with_node(o, "b").has_value()) + static_cast<int>(host_of(o.untyped()).has_value()) +
           static_cast<int>(print_crd().has_value()) + static_cast<int>(with_scratch(o, "a").volumes.size()) +
           static_cast<int>(token_of(to_object(login).value()).has_value()) +
           static_cast<int>(&follow == nullptr || &roll_out == nullptr || &operate == nullptr);
}
