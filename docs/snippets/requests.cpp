// Snippets of docs/guide/requests.md and writing.md.
#include <kubecoro/apps_v1/deployment.hpp>
#include <kubecoro/base/printable.hpp>
#include <kubecoro/core_v1/pod.hpp>
#include <kubecoro/kubecoro.hpp>

#include <boost/json.hpp>

#include <chrono>
#include <iostream>

namespace asio = boost::asio;
using kubecoro::apps_v1::deployment;
using kubecoro::core_v1::pod;

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

//[scale
asio::awaitable<kubecoro::result<>> double_replicas(kubecoro::client cluster)
{
    KUBECORO_TRY(auto now, co_await kubecoro::get_scale(cluster, deployment::resource(), "shop", "cart"));
    // Fails with cond::conflict if another client was faster.
    KUBECORO_TRY(co_await kubecoro::set_scale(cluster, deployment::resource(), "shop", "cart", 2 * now.wanted,
                                              {.only_from = now.wanted}));
    co_return kubecoro::result<>();
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

//[token
asio::awaitable<kubecoro::result<std::string>> token_for(kubecoro::client cluster)
{
    kubecoro::token_options options{.audiences = {"vault"}, .lifetime = std::chrono::minutes{10}};
    KUBECORO_TRY(auto made, co_await kubecoro::create_token(cluster, "shop", "robot", options));
    co_return made.token;
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

//[dry_run
asio::awaitable<kubecoro::result<>> would_be_accepted(kubecoro::client cluster, deployment wanted)
{
    kubecoro::write_options options{.dry_run = true, .validation = kubecoro::field_validation::strict};
    const auto deployments = cluster.resource<deployment>("shop");
    KUBECORO_TRY(co_await deployments.create(wanted, options));
    co_return kubecoro::result<>();
}
//]

//[warnings
kubecoro::result<kubecoro::client> connect(asio::any_io_executor executor)
{
    kubecoro::client_options options;
    options.on_warning = [](const kubecoro::server_warning& w) { std::cerr << "Warning: " << w.text << '\n'; };
    return kubecoro::client::connect(executor, options);
}
//]

//[table
asio::awaitable<kubecoro::result<>> print(kubecoro::client cluster)
{
    kubecoro::list_options options{.limit = 500};
    do {
        KUBECORO_TRY(auto page, co_await kubecoro::list_table(cluster, pod::resource(), "shop", options));
        for (const auto& row : page.rows) {
            for (std::size_t i = 0; i < row.cells.size(); ++i)
                if (page.columns[i].priority == 0) std::cout << kubecoro::printable(row.cells[i]) << '\t';
            std::cout << '\n';
        }
        options.continue_token = page.continue_token;
    } while (!options.continue_token.empty());
    co_return kubecoro::result<>();
}
//]

//[collection
asio::awaitable<kubecoro::result<>> remove_finished(kubecoro::client cluster)
{
    kubecoro::list_options finished{.field_selector = "status.phase=Succeeded"};
    const auto pods = cluster.resource<pod>("shop");
    KUBECORO_TRY(co_await pods.remove_collection(finished));
    co_return kubecoro::result<>();
}
//]

//[apply
asio::awaitable<kubecoro::result<>> apply_replicas(kubecoro::client cluster, std::int32_t replicas)
{
    const deployment wanted{.metadata = {.name = "cart"}, .spec = {.replicas = replicas}}; // and no other field
    kubecoro::apply_options options{.field_manager = "shop-autoscaler"};
    const auto deployments = cluster.resource<deployment>("shop");
    auto applied = co_await deployments.apply(wanted, options);
    if (applied) co_return kubecoro::result<>();
    for (const auto& c : kubecoro::apply_conflicts(applied.error()))
        std::cerr << kubecoro::printable(c.field + " belongs to " + c.manager) << '\n';
    co_return applied.error();
}
//]

//[extract
asio::awaitable<kubecoro::result<>> change_own_fields(kubecoro::client cluster)
{
    KUBECORO_TRY(auto live, co_await cluster.get(deployment::resource(), "shop", "cart"));
    KUBECORO_TRY(auto mine, kubecoro::extract(live, "shop-autoscaler"));
    mine.as_object()["metadata"].as_object()["labels"] = boost::json::object{{"scaled", "yes"}};
    KUBECORO_TRY(
        co_await cluster.apply(deployment::resource(), "shop", "cart", mine, {.field_manager = "shop-autoscaler"}));
    co_return kubecoro::result<>();
}
//]

//[migrate
asio::awaitable<kubecoro::result<>> take_over(kubecoro::client cluster)
{
    kubecoro::apply_migration how{.from = {"kubectl-client-side-apply"}, .to = "shop-autoscaler"};
    KUBECORO_TRY(co_await kubecoro::migrate_to_apply(cluster, deployment::resource(), "shop", "cart", how));
    co_return kubecoro::result<>();
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

//[json
/// Keeps a gadget: a custom resource, known by its name only.
asio::awaitable<kubecoro::result<>> keep_gadget(kubecoro::client cluster, kubecoro::object_key key)
{
    KUBECORO_TRY(auto gadgets, co_await kubecoro::find_resource(cluster, "gadgets.example.com"));
    auto edit = [](boost::json::object& o) {
        const boost::json::object arm{{"name", "left"}, {"length", 3}};
        kubecoro::field(o, "spec", "arms") = boost::json::array{arm};
        kubecoro::field(o, "spec", "limits") = {{"cpu", "250m"}, {"memory", "64Mi"}};
    };
    KUBECORO_TRY(co_await kubecoro::create_or_update(cluster, gadgets, key, edit));
    co_return kubecoro::result<>();
}
//]
