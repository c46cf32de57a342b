// Snippets of docs/guide/own-writes.md.
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/cache/mutation_cache.hpp>
#include <kubecoro/kubecoro.hpp>

#include <chrono>

namespace asio = boost::asio;
using kubecoro::core::v1::pod;

//[wait
asio::awaitable<kubecoro::result<>> label_and_read(kubecoro::client cluster, kubecoro::shared_informer pods)
{
    auto answer = co_await cluster.resource(pod::resource(), "shop")
                      .patch("cart", kubecoro::patch_kind::merge, R"({"metadata":{"labels":{"seen":"yes"}}})");
    if (!answer) co_return answer.error();
    auto cart =
        co_await pods.lister().get_after(kubecoro::object_key(answer->key()), std::string(answer->resource_version()));
    if (!cart) co_return cart.error();
    if (!*cart) co_return kubecoro::result<>(); // deleted since
    // From here on every list, index and selector shows the write too.
    co_return kubecoro::result<>();
}
//]

//[deadline
asio::awaitable<bool> shows(kubecoro::time_source& time, kubecoro::shared_informer pods, std::string version)
{
    auto reaching = pods.wait_until(std::move(version), "shop");
    auto in_time = kubecoro::with_timeout(time, std::chrono::seconds{5}, "wait for pods", std::move(reaching));
    const auto reached = co_await std::move(in_time);
    co_return reached.has_value();
}
//]

//[mutation_cache
asio::awaitable<kubecoro::result<>> create_once(kubecoro::client cluster, kubecoro::mutation_cache pods)
{
    if (pods.get("shop", "worker")) co_return kubecoro::result<>(); // also when the watch has not brought it yet
    auto answer =
        co_await cluster.resource(pod::resource(), "shop").create(R"({"metadata":{"name":"worker"},"spec":{}})");
    if (!answer) co_return answer.error();
    pods.written(*answer);
    co_return kubecoro::result<>();
}
//]
