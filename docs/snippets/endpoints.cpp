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

    kubecoro::debug_pages pages;
    KUBECORO_TRY(pages.add("informers", kubecoro::informers_page(informers)));

    kubecoro::endpoint_options serving;
    serving.address = ":8080";
    serving.health = checks;
    serving.prometheus = numbers;
    serving.log = log;
    kubecoro::endpoint_server server(executor, std::move(serving));
    kubecoro::endpoint_server for_people(executor, {.address = "8082", .debug = pages, .log = log}); // loopback
    KUBECORO_TRY(server.start());
    KUBECORO_TRY(for_people.start());
    informers.start();
    KUBECORO_TRY(co_await stop.wait());
    KUBECORO_TRY(co_await server.stop()); // before what its checks and pages refer to
    KUBECORO_TRY(co_await for_people.stop());
    //]
    co_return co_await informers.stop();
}
