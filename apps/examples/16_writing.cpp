// Writing: an owned object, a status, a finalizer, patches and conflicts.
#include "example.hpp"

#include <kubecoro/apps_v1/deployment.hpp>
#include <kubecoro/core_v1/config_map.hpp>

#include <boost/json.hpp>

#include <string>

namespace asio = boost::asio;
namespace json = boost::json;
namespace core_v1 = kubecoro::core_v1;
using kubecoro::object;
using kubecoro::object_key;
using kubecoro::result;
using kubecoro::typed_object;
using kubecoro::apps_v1::deployment;
using kubecoro::apps_v1::deployment_spec;
using kubecoro::core_v1::config_map;

namespace {

const char* name_of(kubecoro::write_effect e)
{
    if (e == kubecoro::write_effect::created) return "created";
    return e == kubecoro::write_effect::updated ? "updated" : "unchanged";
}

/// The spec of a deployment that runs the image of a shop.
deployment_spec wanted_spec(const typed_object<config_map>& shop)
{
    const std::string app(shop.name());
    core_v1::container main{.name = "main", .image = std::string(shop->data()["image"])};
    return {.replicas = 2,
            .selector = kubecoro::meta_v1::label_selector{.matchLabels = {{"app", app}}},
            .template_ = {.metadata = {.labels = {{"app", app}}}, .spec = {.containers = {std::move(main)}}}};
}

//[owned
asio::awaitable<result<typed_object<deployment>>> keep_deployment(kubecoro::client cluster,
                                                                  typed_object<config_map> shop)
{
    const object_key key(shop.ns(), shop.name());
    auto edit = [&](deployment& d) {
        d.spec = wanted_spec(shop);
        set_controller_reference(shop, d); // the garbage collector deletes the deployment with the shop
    };
    KUBECORO_TRY(auto done, co_await kubecoro::create_or_update<deployment>(cluster, key, edit));
    std::cout << "deployment " << name_of(done.effect) << '\n';
    co_return typed_object<deployment>(done.now);
}
//]

//[status
asio::awaitable<result<>> report(kubecoro::client cluster, typed_object<deployment> running)
{
    KUBECORO_TRY(auto counted, co_await patch_status(cluster, running, {{"replicas", 2}, {"readyReplicas", 1}}));

    const auto now = cluster.time().wall_now();
    auto edit = [&](deployment& d) {
        kubecoro::status_condition available{.type = "Available", .status = "False", .reason = "Starting"};
        set_condition(d, available, now);
    };
    KUBECORO_TRY(auto done, co_await kubecoro::edit_status<deployment>(cluster, counted, edit));
    const typed_object<deployment> reported(done.now);
    std::cout << "available: " << find_condition(reported, "Available").status() << '\n';
    co_return result<>();
}
//]

asio::awaitable<result<>> clean_up(kubecoro::client cluster, object shop)
{
    KUBECORO_TRY(shop, co_await ensure_finalizer(cluster, shop, "example.com/cleanup"));
    KUBECORO_TRY(co_await cluster.remove(config_map::resource(), shop.ns(), shop.name()));
    std::cout << "held by its finalizer\n";
    // In a reconciler: if (shop.being_deleted()) { what the shop has elsewhere goes first; then: }
    KUBECORO_TRY(co_await remove_finalizer(cluster, shop, "example.com/cleanup"));
    std::cout << "gone\n";
    co_return result<>();
}

asio::awaitable<result<>> scale_by_patch(kubecoro::client cluster, typed_object<deployment> running)
{
    KUBECORO_TRY(auto wanted, read_struct(running));
    wanted.spec.replicas = 3;
    KUBECORO_TRY(auto after, kubecoro::to_object(wanted));
    const json::value from = running.untyped().to_json();
    const json::value to = after.untyped().to_json();
    const json::value patch = kubecoro::merge_patch(from.as_object(), to.as_object());
    std::cout << "patch " << patch << '\n';
    const auto deployments = cluster.resource<deployment>(running.ns());
    KUBECORO_TRY(co_await deployments.patch(running.name(), kubecoro::patch_kind::merge, patch));
    co_return result<>();
}

asio::awaitable<result<>> scale_by_update(kubecoro::client cluster, object_key key)
{
    // The edit is repeated on the newest state after a conflict.
    auto edit = [](deployment& d) { d.spec.replicas = d.spec.replicas.value_or(1) + 1; };
    KUBECORO_TRY(auto done, co_await kubecoro::retry_on_conflict<deployment>(cluster, key, edit));
    const typed_object<deployment> now(done.now);
    std::cout << "replicas " << now->spec().replicas().value_or(1) << '\n';
    co_return result<>();
}

asio::awaitable<result<>> remove_deployment(kubecoro::client cluster, object_key key)
{
    //[removal
    KUBECORO_TRY(co_await remove_and_wait(cluster, deployment::resource(), key));
    KUBECORO_TRY(auto left, co_await get_or_none(cluster, deployment::resource(), key));
    std::cout << (left ? "still there\n" : "removed\n");
    //]
    co_return result<>();
}

} // namespace

asio::awaitable<result<>> run(kubecoro::client cluster)
{
    const object_key key("default", "shop");
    const config_map shop{.metadata = {.name = key.name}, .data = {{"image", "example.com/shop:1"}}};
    const auto maps = cluster.resource<config_map>(key.ns);
    KUBECORO_TRY(auto owner, co_await maps.create(shop));

    KUBECORO_TRY(auto running, co_await keep_deployment(cluster, owner));
    KUBECORO_TRY(running, co_await keep_deployment(cluster, owner));
    KUBECORO_TRY(co_await report(cluster, running));
    KUBECORO_TRY(co_await scale_by_patch(cluster, running));
    KUBECORO_TRY(co_await scale_by_update(cluster, key));
    KUBECORO_TRY(co_await remove_deployment(cluster, key));
    co_return co_await clean_up(cluster, owner);
}
