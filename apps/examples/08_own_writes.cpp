// Reading one's own writes: the store lags behind the server, and reports when it has caught up.
#include "example.hpp"

#include <kubecoro/cache/mutation_cache.hpp>
#include <kubecoro/core_v1/config_map.hpp>

namespace asio = boost::asio;
using kubecoro::typed_object;
using kubecoro::core_v1::config_map;

namespace {

std::string text_of(const typed_object<config_map>& greeting) { return std::string(greeting->data()["text"]); }

asio::awaitable<kubecoro::result<>> write_and_read(kubecoro::client cluster, kubecoro::shared_informer<config_map> maps)
{
    const auto lister = maps.lister();
    const kubecoro::mutation_cache seen(lister); // shows writes before the watch delivers them
    auto greetings = cluster.resource<config_map>("default");

    const config_map hello{.metadata = {.name = "greeting"}, .data = {{"text", "hello"}}};
    KUBECORO_TRY(auto created, co_await greetings.create(hello));
    seen.written(created);
    std::cout << "remembered: " << text_of(seen.get("default", "greeting")) << '\n';

    KUBECORO_TRY(auto patched,
                 co_await greetings.patch("greeting", kubecoro::patch_kind::merge, R"({"data":{"text":"bye"}})"));
    const kubecoro::object_key key(patched.key());
    KUBECORO_TRY(auto stored, co_await lister.get_after(key, patched.resource_version()));
    std::cout << "stored: " << text_of(stored) << '\n';
    std::cout << "remembered: " << text_of(seen.get("default", "greeting")) << ", and " << seen.size() << " pending\n";

    KUBECORO_TRY(co_await greetings.remove("greeting"));
    seen.removed(patched.key(), patched.uid(), patched.resource_version());
    std::cout << "after the removal: " << (seen.get("default", "greeting") ? "exists" : "gone") << '\n';
    co_return kubecoro::result<>();
}

} // namespace

asio::awaitable<kubecoro::result<>> run(kubecoro::client cluster)
{
    kubecoro::informer_factory informers(cluster);
    auto maps = informers.get<config_map>({.namespaces = {"default"}});
    informers.start();
    auto outcome = co_await maps.has_synced();
    if (outcome) outcome = co_await write_and_read(cluster, maps);
    auto stopped = co_await informers.stop();
    co_return outcome ? stopped : outcome;
}
