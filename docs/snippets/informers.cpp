// Snippets of docs/guide/namespaces.md, logging-in.md, shutdown.md and observability.md.
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/core_v1/pod.hpp>
#include <kubecoro/kubecoro.hpp>

#include <iostream>

namespace asio = boost::asio;

asio::awaitable<kubecoro::result<>> namespaces(kubecoro::informer_factory& informers)
{
    //[namespaces
    auto pods = informers.get<kubecoro::core_v1::pod>({.namespaces = {"web"}});
    informers.start();
    if (auto joined = co_await pods.add_namespace("jobs"); !joined)
        co_return joined; // e.g. forbidden: it stays in the set and is retried
    co_await pods.remove_namespace("web");
    auto changed = co_await pods.set_namespaces({"web", "jobs"});
    //]
    co_return changed;
}

asio::awaitable<kubecoro::result<>> by_name(kubecoro::client client, kubecoro::informer_factory& informers)
{
    //[by_name
    KUBECORO_TRY(auto widgets, co_await kubecoro::find_resource(client, "widgets.example.com"));
    auto all = informers.get(widgets);
    auto one = informers.get(widgets, {.namespaces = {"web"}, .name = "left"});
    //]
    co_return kubecoro::result<>();
}

/// Passes requests on; a program would note them.
class tracing_transport final : public kubecoro::transport
{
public:
    explicit tracing_transport(std::shared_ptr<kubecoro::transport> over) : over_(std::move(over)) {}
    asio::awaitable<kubecoro::result<std::unique_ptr<kubecoro::answer>>> send(kubecoro::request r) override
    {
        return over_->send(std::move(r));
    }

private:
    std::shared_ptr<kubecoro::transport> over_;
};

kubecoro::result<kubecoro::client> with_limits(const asio::any_io_executor& executor)
{
    //[limits
    kubecoro::client_options options;
    options.rate_limit = {.qps = 20, .burst = 30};
    options.max_requests = 50;
    options.headers = {{"X-Team", "shop"}};
    options.wrap_transport = [](std::shared_ptr<kubecoro::transport> over) -> std::shared_ptr<kubecoro::transport> {
        return std::make_shared<tracing_transport>(std::move(over));
    };
    auto client = kubecoro::client::connect(executor, options);
    //]
    return client;
}

kubecoro::result<kubecoro::client> with_files(const asio::any_io_executor& executor)
{
    //[certificates
    kubecoro::cluster_config config;
    config.server = "https://cluster.example.com";
    config.ca_file = "/etc/cluster/ca.crt";
    config.client_certificate_file = "/etc/cluster/tls.crt";
    config.client_key_file = "/etc/cluster/tls.key";
    auto client = kubecoro::client::create(executor, config);
    //]
    return client;
}

kubecoro::result<kubecoro::client> with_plugin(const asio::any_io_executor& executor)
{
    //[plugin
    kubecoro::cluster_config config;
    config.server = "https://cluster.example.com";
    kubecoro::exec_config plugin;
    plugin.command = "aws";
    plugin.arguments = {"eks", "get-token", "--cluster-name", "production"};
    plugin.variables = {{"AWS_PROFILE", "operator"}};
    config.login.exec = plugin;
    auto client = kubecoro::client::create(executor, config);
    //]
    return client;
}

//[shutdown
asio::awaitable<kubecoro::result<>> serve(kubecoro::client client, kubecoro::latch told_to_stop)
{
    kubecoro::informer_factory informers(client);
    auto pods = informers.get<kubecoro::core_v1::pod>();
    informers.start();
    co_await told_to_stop.wait();
    co_await kubecoro::finish_despite_cancellation(); // also when this coroutine was cancelled
    co_return co_await informers.stop();
}
//]

void observe(kubecoro::client client, std::shared_ptr<kubecoro::metrics> sink, kubecoro::logger log)
{
    //[observe
    kubecoro::factory_options options;
    options.metrics = std::move(sink);
    options.log = log;
    kubecoro::informer_factory informers(client, options);
    auto pods = informers.get<kubecoro::core_v1::pod>({.label = "all-pods"});
    pods.add_event_handler({}, {.name = "billing"});
    std::cout << pods.describe() << '\n';
    if (pods.stats().state == kubecoro::informer_state::parked) pods.retry_now();
    //]
}

int main() {} // only compiled, not run
