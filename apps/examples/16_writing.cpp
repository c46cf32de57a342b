// Writing: an owned object, a status, a finalizer, patches and conflicts.
#include "example.hpp"

#include <boost/json.hpp>

#include <string>

namespace asio = boost::asio;
namespace json = boost::json;
using kubecoro::field;
using kubecoro::object;
using kubecoro::object_key;
using kubecoro::result;
using kubecoro::apps::v1::deployment;
using kubecoro::core::v1::config_map;

namespace {

const char* name_of(kubecoro::write_effect e)
{
    if (e == kubecoro::write_effect::created) return "created";
    return e == kubecoro::write_effect::updated ? "updated" : "unchanged";
}

//[wanted
/// The spec of a deployment that runs the image of a shop.
json::object wanted_spec(const object& shop)
{
    const json::object labels{{"app", shop.name()}};
    const json::object container{{"name", "main"}, {"image", shop["data"]["image"].as_string()}};
    return {{"replicas", 2},
            {"selector", {{"matchLabels", labels}}},
            {"template", {{"metadata", {{"labels", labels}}}, {"spec", {{"containers", json::array{container}}}}}}};
}
//]

//[owned
asio::awaitable<result<object>> keep_deployment(kubecoro::client cluster, object shop)
{
    const object_key key(std::string(shop.ns()), std::string(shop.name()));
    auto edit = [&](json::object& o) {
        o["spec"] = wanted_spec(shop);
        set_controller_reference(shop, o); // the garbage collector deletes the deployment with the shop
    };
    KUBECORO_TRY(auto done, co_await create_or_update(cluster, deployment::resource(), key, edit));
    std::cout << "deployment " << name_of(done.effect) << '\n';
    co_return done.now;
}
//]

//[status
asio::awaitable<result<object>> report(kubecoro::client cluster, object running)
{
    KUBECORO_TRY(running, co_await patch_status(cluster, running, {{"replicas", 2}, {"readyReplicas", 1}}));

    const auto now = cluster.time().wall_now();
    auto edit = [&](json::object& o) {
        kubecoro::status_condition available{.type = "Available", .status = "False", .reason = "Starting"};
        set_condition(o, available, now);
    };
    KUBECORO_TRY(auto done, co_await edit_status(cluster, running, edit));
    std::cout << "available: " << find_condition(done.now, "Available")["status"].as_string() << '\n';
    co_return done.now;
}
//]

//[finalizer
asio::awaitable<result<>> clean_up(kubecoro::client cluster, object shop)
{
    KUBECORO_TRY(shop, co_await ensure_finalizer(cluster, shop, "example.com/cleanup"));
    KUBECORO_TRY(co_await cluster.remove(config_map::resource(), std::string(shop.ns()), std::string(shop.name())));
    std::cout << "held by its finalizer\n";
    // In a reconciler: if (shop.being_deleted()) { what the shop has elsewhere goes first; then: }
    KUBECORO_TRY(co_await remove_finalizer(cluster, shop, "example.com/cleanup"));
    std::cout << "gone\n";
    co_return result<>();
}
//]

//[patch
asio::awaitable<result<>> scale_by_patch(kubecoro::client cluster, object running)
{
    json::object after = running.to_json().as_object();
    field(after, "spec", "replicas") = 3;
    const json::value patch = kubecoro::merge_patch(running.to_json().as_object(), after);
    std::cout << "patch " << patch << '\n';
    auto deployments = cluster.resource(deployment::resource(), std::string(running.ns()));
    KUBECORO_TRY(co_await deployments.patch(std::string(running.name()), kubecoro::patch_kind::merge, patch));
    co_return result<>();
}
//]

//[conflict
asio::awaitable<result<>> scale_by_update(kubecoro::client cluster, object_key key)
{
    auto edit = [](json::object& o) {
        const auto replicas = field(o, "spec", "replicas").to_number<int>();
        field(o, "spec", "replicas") = replicas + 1; // the edit is repeated on the newest state after a conflict
    };
    KUBECORO_TRY(auto done, co_await retry_on_conflict(cluster, deployment::resource(), key, edit));
    std::cout << "replicas " << done.now["spec"]["replicas"].as_int64() << '\n';
    co_return result<>();
}
//]

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
    json::object shop = new_object(config_map::resource(), key);
    field(shop, "data", "image") = "example.com/shop:1";
    KUBECORO_TRY(auto owner, co_await cluster.create(config_map::resource(), key.ns, json::value(shop)));

    KUBECORO_TRY(auto running, co_await keep_deployment(cluster, owner));
    KUBECORO_TRY(running, co_await keep_deployment(cluster, owner));
    KUBECORO_TRY(running, co_await report(cluster, running));
    KUBECORO_TRY(co_await scale_by_patch(cluster, running));
    KUBECORO_TRY(co_await scale_by_update(cluster, key));
    KUBECORO_TRY(co_await remove_deployment(cluster, key));
    co_return co_await clean_up(cluster, owner);
}
