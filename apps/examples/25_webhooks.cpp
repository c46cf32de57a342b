// Webhooks: a server asks this program to complete, to check and to convert what clients write. The server is one of the
// example's own, in this process; in a cluster the manager serves HTTPS, and installs what leads the server there.
#include "example.hpp"

#include <kubecoro/api/crd.hpp>
#include <kubecoro/api/described.hpp>
#include <kubecoro/apiserver/in_process.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/client/manifests.hpp>
#include <kubecoro/controller/install_crds.hpp>
#include <kubecoro/manager/manager.hpp>
#include <kubecoro/meta_v1/object_meta.hpp>
#include <kubecoro/webhooks/webhooks.hpp>

#include <boost/json/value.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace asio = boost::asio;
using kubecoro::result;
using kubecoro::verdict;

namespace {

struct site_spec
{
    std::vector<std::string> hosts;
    std::optional<int> replicas;
};
BOOST_DESCRIBE_STRUCT(site_spec, (), (hosts, replicas))

struct site
{
    static kubecoro::resource_type resource() { return {"example.com", "v2", "sites", "Site"}; }
    kubecoro::meta_v1::object_meta metadata;
    site_spec spec;
};
BOOST_DESCRIBE_STRUCT(site, (), (metadata, spec))

/// The first version had one host.
struct old_site_spec
{
    std::string host;
    std::optional<int> replicas;
};
BOOST_DESCRIBE_STRUCT(old_site_spec, (), (host, replicas))

struct old_site
{
    static kubecoro::resource_type resource() { return {"example.com", "v1", "sites", "Site"}; }
    kubecoro::meta_v1::object_meta metadata;
    old_site_spec spec;
};
BOOST_DESCRIBE_STRUCT(old_site, (), (metadata, spec))

kubecoro::webhooks add_webhooks(kubecoro::manager& m)
{
    kubecoro::webhooks hooks(m, {.address = "0"}); // ":9443" in a cluster
    hooks.mutates<site>([](site& s) {
        if (!s.spec.replicas) s.spec.replicas = 1;
    });
    hooks.validates<site>([](const site& s) {
        return s.spec.hosts.empty() ? verdict::denied("a site needs a host") : verdict::allowed();
    });
    hooks.converts<old_site, site>(
        [](const old_site& from, site& to) { to.spec.hosts = {from.spec.host}; },
        [](const site& from, old_site& to) { to.spec.host = from.spec.hosts.empty() ? "" : from.spec.hosts.front(); });
    return hooks;
}

/// The definition of both versions, and the configurations, which a manager with an address installs itself.
asio::awaitable<result<>> install(kubecoro::client cluster, kubecoro::webhooks hooks)
{
    KUBECORO_TRY(auto sites, kubecoro::definition_of<site>({.other_versions = {kubecoro::version_of<old_site>()}}));
    std::vector<boost::json::value> definitions{sites};
    KUBECORO_TRY(co_await kubecoro::install_crds(cluster, std::move(definitions)));
    std::vector<boost::json::value> configurations;
    for (auto& each : hooks.manifests()) configurations.emplace_back(std::move(each));
    KUBECORO_TRY(co_await kubecoro::apply_all(cluster, std::move(configurations), {.field_manager = "webhooks"}));
    co_return result<>();
}

asio::awaitable<result<>> show(kubecoro::client cluster)
{
    const old_site wanted{.metadata = {.name = "blog"}, .spec = {.host = "blog.example", .replicas = {}}};
    KUBECORO_TRY(co_await cluster.resource<old_site>("default").create(wanted));
    KUBECORO_TRY(const auto found, co_await cluster.get(site::resource(), "default", "blog"));
    KUBECORO_TRY(const auto blog, kubecoro::read_struct<site>(found));
    std::cout << "blog has " << blog.spec.hosts.size() << " host, " << blog.spec.hosts.front() << ", and "
              << blog.spec.replicas.value_or(0) << " replica\n";

    const auto refused = co_await cluster.resource<site>("default").create({.metadata = {.name = "empty"}, .spec = {}});
    if (!refused) std::cout << refused.error().status()->message << '\n';
    co_return result<>();
}

} // namespace

asio::awaitable<result<>> run(kubecoro::client)
{
    const auto executor = co_await asio::this_coro::executor;
    kubecoro::apiserver::embedded_server server(executor);
    const kubecoro::client cluster(executor, std::make_shared<kubecoro::apiserver::in_process_transport>(server));
    kubecoro::manager m(cluster, {.name = "sites"});
    const auto hooks = add_webhooks(m);
    server.call_webhooks([hooks](const kubecoro::webhook_server&) { return hooks.in_process(); });
    auto outcome = co_await install(cluster, hooks);
    if (outcome) outcome = co_await show(cluster);
    const auto stopped = co_await server.stop();
    co_return outcome ? stopped : outcome;
}
