// Waiting until something is so: one object in a wanted state, any event of a kind, and what happens when it takes too long.
#include "example.hpp"

namespace asio = boost::asio;
using namespace std::chrono_literals;
using kubecoro::core::v1::config_map;
using kubecoro::core::v1::pod;
namespace conditions = kubecoro::conditions;

namespace {

asio::awaitable<kubecoro::result<>> wait_for_things(kubecoro::client client, kubecoro::shared_informer pods,
                                                    kubecoro::shared_informer maps)
{
    // What is so already is answered at once.
    const kubecoro::object_key cart("shop", "cart");
    auto there = co_await pods.wait_for(cart, conditions::exists(), 30s);
    if (!there) co_return there.error();
    std::cout << there->key() << " is there\n";

    // Nobody starts this pod: the failure says what was last seen.
    auto ready = co_await pods.wait_for(cart, conditions::pod_ready(), 200ms);
    std::cout << (ready ? "ready" : to_string(ready.error().condition())) << '\n';

    // Somebody makes a map, changes it and deletes it.
    auto changed = co_await make_some_changes(client);
    if (!changed) co_return changed;
    const kubecoro::object_key greeting("default", "greeting");
    auto gone = co_await maps.wait_for(greeting, conditions::deleted(), 30s);
    if (!gone) co_return gone.error();
    std::cout << "the greeting is gone\n";

    auto on_n2 = [](const kubecoro::notification& event) {
        return kubecoro::object_of(event)["spec"]["nodeName"].as_string() == "n2";
    };
    auto first = co_await pods.wait_for_any(on_n2, 30s);
    if (!first) co_return first.error();
    std::cout << kubecoro::object_of(*first).key() << " is on n2\n";
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
