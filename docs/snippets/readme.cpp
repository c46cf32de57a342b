//[program
#include <kubecoro/core_v1/pod.hpp>
#include <kubecoro/kubecoro.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <iostream>

namespace asio = boost::asio;
using kubecoro::core_v1::pod;

asio::awaitable<void> watch_shop(kubecoro::informer_factory& informers)
{
    auto pods = informers.get<pod>({.namespaces = {"web", "jobs"}, .label_selector = "app=shop"});
    pods.add_event_handler(
        {.on_add = [](const kubecoro::added<pod>& e) { std::cout << "added " << e.obj.key() << '\n'; },
         .on_delete = [](const kubecoro::deleted<pod>& e) { std::cout << "deleted " << e.obj.key() << '\n'; }});
    informers.start();
    if (auto synced = co_await pods.has_synced(); !synced)
        std::cerr << synced.error() << '\n'; // the cause; the informer keeps trying
    for (const auto& p : pods.lister().list_in("web")) std::cout << p->spec().nodeName() << '\n';

    auto changes = pods.subscribe(); // or pull in batches
    while (auto batch = co_await changes.pop()) std::cout << batch->size() << " changes\n";
    co_await informers.stop();
}

int main()
{
    std::cout << std::unitbuf; // flush each line, also into a pipe
    asio::io_context context;
    auto cluster =
        kubecoro::client::connect(context.get_executor()); // $KUBECONFIG, ~/.kube/config, or inside a cluster
    if (!cluster) return std::cerr << cluster.error() << '\n', 1;
    kubecoro::informer_factory informers{*cluster};
    asio::signal_set signals(context, SIGINT, SIGTERM);
    signals.async_wait([&](auto, int) { informers.request_stop(); });
    asio::co_spawn(context, watch_shop(informers), [&](std::exception_ptr) { signals.cancel(); });
    context.run();
}
//]
