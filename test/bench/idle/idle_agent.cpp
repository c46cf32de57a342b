// A node agent: one informer of the pods of one node. Prints their number as JSON when it has synced, and waits for a
// signal.
// usage: idle_agent KUBECONFIG NODE
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/client/client.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <iostream>

namespace asio = boost::asio;
using namespace kubecoro;

namespace {

asio::awaitable<void> watch(client cluster, std::string node)
{
    informer_factory informers(cluster);
    informer_options of_node;
    of_node.field_selector = "spec.nodeName=" + node;
    resource_type pods;
    pods.version = "v1";
    pods.plural = "pods";
    pods.kind = "Pod";
    auto informer = informers.get(pods, of_node);
    informers.start();
    const auto synced = co_await informer.has_synced();
    if (synced)
        std::cout << R"({"ready":true,"pods":)" << informer.stats().objects << '}' << std::endl;
    else
        std::cerr << synced.error().describe() << '\n';
    asio::signal_set signals(cluster.executor(), SIGINT, SIGTERM);
    co_await signals.async_wait(asio::use_awaitable);
    (void)co_await informers.stop();
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 3) return 2;
    asio::io_context io{1};
    client_options how;
    how.kubeconfig = argv[1];
    auto cluster = client::connect(io.get_executor(), how);
    if (!cluster) {
        std::cerr << cluster.error().describe() << '\n';
        return 1;
    }
    asio::co_spawn(io, watch(*cluster, argv[2]), [](const std::exception_ptr& e) {
        if (e) std::rethrow_exception(e);
    });
    io.run();
    return 0;
}
