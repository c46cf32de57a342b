// Starting an informer late, releasing one, and a stop that waits for a running handler.
#include "example.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/core_v1/config_map.hpp>
#include <kubecoro/core_v1/pod.hpp>

namespace asio = boost::asio;
using kubecoro::core_v1::config_map;
using kubecoro::core_v1::pod;

namespace {

/// Work that takes an hour, unless it is cancelled.
asio::awaitable<void> work(kubecoro::added<pod> e, kubecoro::latch begun)
{
    std::cout << "working on " << e.obj.key() << '\n';
    begun.settle({});
    auto done = co_await kubecoro::sleep_for(*kubecoro::real_clock(), std::chrono::hours{1});
    std::cout << "the work " << (done ? "is done" : "was cut short") << '\n';
}

/// An informer of any kind.
void show(const char* what, const kubecoro::shared_informer<>& informer)
{
    std::cout << what << ": " << to_string(informer.state()) << ", " << informer.lister().size() << " stored\n";
}

} // namespace

asio::awaitable<kubecoro::result<>> run(kubecoro::client client)
{
    kubecoro::informer_factory informers(client);
    auto cart = informers.get<pod>({.namespaces = {"shop"}, .name = "cart"});
    kubecoro::latch begun;
    cart.add_event_handler({.on_add = [begun](const kubecoro::added<pod>& e) { return work(e, begun); }});
    informers.start();
    auto outcome = co_await begun.wait();
    if (!outcome) co_return outcome;

    auto maps = informers.get<config_map>({.namespaces = {"default"}}); // starts at once
    outcome = co_await maps.has_synced();
    if (!outcome) co_return outcome;
    show("late", maps);
    outcome = co_await informers.release(maps); // it has no other user: its watch has ended
    if (!outcome) co_return outcome;
    show("released", maps);

    outcome = co_await informers.stop(); // cancels the work and awaits its end; nothing runs afterwards
    show("stopped", cart);
    const auto late = cart.add_event_handler({});
    auto synced = co_await late.has_synced();
    if (!synced) std::cout << "a handler added after the stop: " << to_string(synced.error().condition()) << '\n';
    co_return outcome;
}
