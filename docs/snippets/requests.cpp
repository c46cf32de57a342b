// Snippets of docs/guide/requests.md and writing.md.
#include <kubecoro/apps_v1/deployment.hpp>
#include <kubecoro/base/printable.hpp>
#include <kubecoro/kubecoro.hpp>

#include <boost/json.hpp>

#include <chrono>
#include <iostream>

namespace asio = boost::asio;
using kubecoro::apps_v1::deployment;

//[logs
asio::awaitable<kubecoro::result<>> follow(kubecoro::client cluster)
{
    KUBECORO_TRY(auto log, co_await kubecoro::pod_logs(cluster, "shop", "cart",
                                                       {.container = "web", .follow = true, .tail_lines = 100}));
    for (;;) {
        KUBECORO_TRY(auto lines, co_await log->next());    // leaves when the connection broke
        if (lines.empty()) co_return kubecoro::result<>(); // the container ended
        for (const auto& line : lines) std::cout << kubecoro::printable(line.text) << '\n';
    }
}
//]

//[evict
asio::awaitable<kubecoro::result<>> drain_one(kubecoro::client cluster, kubecoro::time_source& time, std::string name)
{
    kubecoro::delete_options options{.grace_period = std::chrono::seconds{30}};
    for (;;) {
        auto gone = co_await kubecoro::evict(cluster, "shop", name, options);
        if (gone || !kubecoro::is_disruption_budget(gone.error())) co_return gone;
        KUBECORO_TRY(co_await kubecoro::sleep_for(time, std::chrono::seconds{5}));
    }
}
//]

//[member
/// Takes one label off, whatever else the deployment has.
asio::awaitable<kubecoro::result<>> unlabel(kubecoro::client cluster, kubecoro::object_key key)
{
    const boost::json::value patch{{"metadata", {{"labels", {{"example.com/team", nullptr}}}}}};
    const auto deployments = cluster.resource<deployment>(key.ns);
    KUBECORO_TRY(co_await deployments.patch(key.name, kubecoro::patch_kind::merge, patch));
    co_return kubecoro::result<>();
}
//]

//[apply
asio::awaitable<kubecoro::result<>> apply_replicas(kubecoro::client cluster, std::int32_t replicas)
{
    const deployment wanted{.metadata = {.name = "cart"}, .spec = {.replicas = replicas}}; // and no other field
    kubecoro::write_options options{.field_manager = "shop-autoscaler"};
    const auto deployments = cluster.resource<deployment>("shop");
    auto applied = co_await deployments.apply(wanted, options);
    if (applied) co_return kubecoro::result<>();
    for (const auto& c : kubecoro::apply_conflicts(applied.error()))
        std::cerr << kubecoro::printable(c.field + " belongs to " + c.manager) << '\n';
    co_return applied.error();
}
//]

//[discovery
asio::awaitable<kubecoro::result<>> describe_kinds(kubecoro::client cluster)
{
    const kubecoro::discovery kinds(cluster);
    // Also "Deployment", "deployments.apps", "deployments.v1.apps".
    KUBECORO_TRY(auto by_name, co_await kinds.resource_for("deploy"));
    KUBECORO_TRY(auto by_kind, co_await kinds.resource_of("apps/v1", "Deployment"));
    KUBECORO_TRY(auto all, co_await kinds.resources());
    for (const auto& gap : all->missing) std::cerr << gap.group << ": " << gap.why.describe() << '\n';
    co_return kubecoro::result<>();
}
//]
