// Snippets of docs/guide/observability.md.
#include <kubecoro/kubecoro.hpp>

namespace asio = boost::asio;

asio::awaitable<kubecoro::result<>> serve_endpoints(asio::any_io_executor executor, kubecoro::client client,
                                                    kubecoro::logger log, kubecoro::latch stop)
{
    //[serve
    auto numbers = std::make_shared<kubecoro::prometheus_metrics>();
    kubecoro::factory_options options;
    options.metrics = numbers;
    kubecoro::informer_factory informers(client, options);

    kubecoro::health_checks checks({.metrics = numbers, .log = log});
    KUBECORO_TRY(checks.add_ready("informers", kubecoro::informers_synced(informers)));

    kubecoro::endpoint_server server(executor,
                                     {.address = ":8080", .health = checks, .prometheus = numbers, .log = log});
    KUBECORO_TRY(server.start());
    informers.start();
    KUBECORO_TRY(co_await stop.wait());
    KUBECORO_TRY(co_await server.stop()); // before what its checks refer to
    //]
    co_return co_await informers.stop();
}
