// A shared informer: a live local copy that calls functions or coroutines on every change.
#include "example.hpp"

#include <kubecoro/base/latch.hpp>
#include <kubecoro/core_v1/config_map.hpp>

namespace asio = boost::asio;
using kubecoro::core_v1::config_map;

asio::awaitable<kubecoro::result<>> run(kubecoro::client client)
{
    kubecoro::informer_factory informers(client);
    auto maps = informers.get<config_map>({.namespaces = {"default"}});

    kubecoro::latch seen_all; // settled by the handler, awaited below
    auto registration = maps.add_event_handler({
        .on_add = [](const kubecoro::added<config_map>& e) { std::cout << "added " << e.obj.key() << '\n'; },
        .on_update = [](const kubecoro::updated<config_map>& e) -> asio::awaitable<void> {
            std::cout << "updated " << e.after.key() << ": " << e.before->data()["text"] << " -> "
                      << e.after->data()["text"] << '\n';
            co_return; // a coroutine may await anything; the next event waits for it
        },
        .on_delete =
            [seen_all](const kubecoro::deleted<config_map>& e) {
                std::cout << "deleted " << e.obj.key() << '\n';
                seen_all.settle({});
            },
    });

    informers.start();
    auto synced = co_await registration.has_synced(); // the handler has received all initial objects
    if (synced) synced = co_await make_some_changes(client);
    if (synced) synced = co_await seen_all.wait();
    auto stopped = co_await informers.stop(); // nothing runs any more after this
    co_return synced ? stopped : synced;
}
