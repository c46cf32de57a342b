// Snippet of docs/coroutines.md.
#include <kubecoro/core_v1/pod.hpp>
#include <kubecoro/kubecoro.hpp>

#include <chrono>
#include <string>

namespace asio = boost::asio;
using namespace std::chrono_literals;
using kubecoro::core_v1::pod;

//[style
/// Removes some pods of the shop, and waits until each of their names is on another node.
asio::awaitable<kubecoro::result<>> move_away(kubecoro::client cluster, kubecoro::shared_informer<pod> pods,
                                              std::string node)
{
    const auto in_shop = cluster.resource<pod>("shop");
    KUBECORO_TRY(auto page, co_await in_shop.list({.limit = 5}));
    for (const auto& p : page) {
        KUBECORO_TRY(co_await in_shop.remove(p.name(), {.uid = std::string(p.uid())}));
        const kubecoro::object_key key(p.key());
        KUBECORO_TRY(co_await pods.wait_for(
            key, [node](const auto& now) { return now && now->spec().nodeName() != node; }, 30s));
    }
    co_return co_await pods.set_namespaces({"outlet", "market"});
}
//]
