// Snippets of docs/guide/own-writes.md and writing.md.
#include <kubecoro/cache/mutation_cache.hpp>
#include <kubecoro/core_v1/config_map.hpp>
#include <kubecoro/core_v1/pod.hpp>
#include <kubecoro/kubecoro.hpp>

#include <iostream>

namespace asio = boost::asio;
using kubecoro::core_v1::config_map;
using kubecoro::core_v1::pod;

//[wait
asio::awaitable<kubecoro::result<>> label_and_read(kubecoro::client cluster, kubecoro::shared_informer<pod> pods)
{
    auto edit = [](pod& p) { p.metadata.labels["seen"] = "yes"; };
    const kubecoro::object_key key("shop", "cart");
    KUBECORO_TRY(auto done, co_await kubecoro::retry_on_conflict<pod>(cluster, key, edit));
    KUBECORO_TRY(auto cart, co_await pods.lister().get_after(key, done.now.resource_version()));
    if (!cart) co_return kubecoro::result<>(); // deleted since
    // From here on every list, index and selector shows the write too.
    co_return kubecoro::result<>();
}
//]

//[own
/// The settings of a shop, in a config map of its name that nothing else has made.
asio::awaitable<kubecoro::result<>> keep_settings(kubecoro::client cluster, kubecoro::object shop)
{
    const auto edit = [&](config_map& m) -> kubecoro::result<> {
        if (m.metadata.uid && !is_controlled_by(m, shop))
            return kubecoro::failure(kubecoro::cond::already_exists, "the config map is not the shop's");
        set_controller_reference(shop, m);
        m.data["open"] = "yes";
        return {};
    };
    const kubecoro::object_key key(shop.key());
    KUBECORO_TRY(co_await kubecoro::create_or_update<config_map>(cluster, key, edit));
    co_return kubecoro::result<>();
}
//]

//[mutation_cache
asio::awaitable<kubecoro::result<>> create_once(kubecoro::client cluster, kubecoro::mutation_cache<pod> pods)
{
    if (pods.get("shop", "worker")) co_return kubecoro::result<>(); // also when the watch has not brought it yet
    const pod worker{.metadata = {.name = "worker"},
                     .spec = {.containers = {{.name = "main", .image = "example.com/worker:1"}}}};
    const auto in_shop = cluster.resource<pod>("shop");
    KUBECORO_TRY(auto created, co_await in_shop.create(worker));
    pods.written(created);
    co_return kubecoro::result<>();
}
//]

//[apply
asio::awaitable<kubecoro::result<>> install(kubecoro::client cluster, std::string manifests)
{
    KUBECORO_TRY(auto objects, kubecoro::load_manifests(manifests, "install.yaml"));
    KUBECORO_TRY(auto stored, co_await kubecoro::apply_all(cluster, objects, {.field_manager = "shop-installer"}));
    for (const auto& o : stored) std::cout << o.kind() << ' ' << o.key() << '\n';
    co_return kubecoro::result<>();
}
//]
