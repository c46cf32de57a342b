// Waiting for a condition: one object in a given state, any event that matches, and the outcome of a timeout.
#include "example.hpp"

#include <kubecoro/core_v1/config_map.hpp>
#include <kubecoro/core_v1/pod.hpp>

namespace asio = boost::asio;
using namespace std::chrono_literals;
using kubecoro::core_v1::config_map;
using kubecoro::core_v1::pod;
namespace conditions = kubecoro::conditions;

namespace {

asio::awaitable<kubecoro::result<>> wait_for_things(kubecoro::client client, kubecoro::shared_informer<pod> pods,
                                                    kubecoro::shared_informer<config_map> maps)
{
    // A condition that already holds completes the wait at once.
    const kubecoro::object_key cart("shop", "cart");
    KUBECORO_TRY(auto there, co_await pods.wait_for(cart, conditions::exists(), 30s));
    std::cout << there.key() << " exists\n";

    // This pod is never started: the failure includes the state last seen.
    auto ready = co_await pods.wait_for(cart, conditions::pod_ready(), 200ms);
    std::cout << (ready ? "ready" : to_string(ready.error().condition())) << '\n';

    // Another client creates, changes and deletes a config map.
    KUBECORO_TRY(co_await make_some_changes(client));
    const kubecoro::object_key greeting("default", "greeting");
    KUBECORO_TRY(co_await maps.wait_for(greeting, conditions::deleted(), 30s));
    std::cout << "the greeting is gone\n";

    auto on_n2 = [](const kubecoro::notification<pod>& event) {
        return kubecoro::object_of(event)->spec().nodeName() == "n2";
    };
    KUBECORO_TRY(auto first, co_await pods.wait_for_any(on_n2, 30s));
    std::cout << kubecoro::object_of(first).key() << " is on n2\n";
    co_return kubecoro::result<>();
}

} // namespace

asio::awaitable<kubecoro::result<>> run(kubecoro::client client)
{
    kubecoro::informer_factory informers(client);
    auto pods = informers.get<pod>();
    auto maps = informers.get<config_map>({.namespaces = {"default"}});
    informers.start();
    auto outcome = co_await informers.has_synced();
    if (outcome) outcome = co_await wait_for_things(client, pods, maps);
    auto stopped = co_await informers.stop();
    co_return outcome ? stopped : outcome;
}
