// Runs one example: against the cluster of the kubeconfig named on the command line, else against the embedded server.
#include "example.hpp"

#include <kubecoro/apiserver/in_process.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/core_v1/config_map.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <memory>
#include <string>

namespace asio = boost::asio;
using kubecoro::core_v1::config_map;

namespace {

constexpr const char* manifest = R"(
{apiVersion: v1, kind: Pod, metadata: {name: cart, namespace: shop, labels: {app: cart}}, spec: {nodeName: n1, containers: [{name: main, image: cart, ports: [{containerPort: 80}]}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: search, namespace: shop, labels: {app: search}}, spec: {nodeName: n2, containers: [{name: main, image: search}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: report, namespace: jobs, labels: {app: report}}, spec: {nodeName: n1, containers: [{name: main, image: report}]}}
)";

asio::awaitable<kubecoro::result<>> run_embedded(asio::any_io_executor executor)
{
    kubecoro::apiserver::embedded_server server(executor);
    KUBECORO_TRY(co_await server.load(manifest, "the example's manifest"));
    kubecoro::client client(executor, std::make_shared<kubecoro::apiserver::in_process_transport>(server));
    auto outcome = co_await run(client);
    auto stopped = co_await server.stop();
    co_return outcome ? stopped : outcome;
}

asio::awaitable<kubecoro::result<>> run_on_cluster(asio::any_io_executor executor, std::string kubeconfig)
{
    kubecoro::client_options options;
    options.kubeconfig = std::move(kubeconfig);
    KUBECORO_TRY(auto client, kubecoro::client::connect(executor, options));
    co_return co_await run(client);
}

} // namespace

asio::awaitable<kubecoro::result<>> make_some_changes(kubecoro::client client)
{
    auto greetings = client.resource<config_map>("default");
    const config_map hello{.metadata = {.name = "greeting"}, .data = {{"text", "hello"}}};
    KUBECORO_TRY(co_await greetings.create(hello));
    KUBECORO_TRY(co_await greetings.patch("greeting", kubecoro::patch_kind::merge, R"({"data":{"text":"bye"}})"));
    KUBECORO_TRY(co_await greetings.remove("greeting"));
    co_return kubecoro::result<>();
}

int main(int argc, char** argv)
{
    asio::io_context io(1);
    auto example = argc > 1 ? run_on_cluster(io.get_executor(), argv[1]) : run_embedded(io.get_executor());
    int status = 1;
    asio::co_spawn(io, std::move(example), [&](std::exception_ptr thrown, kubecoro::result<> outcome) {
        if (!thrown && outcome) status = 0;
        if (!thrown && !outcome) std::cerr << outcome.error() << '\n';
    });
    io.run();
    return status;
}
