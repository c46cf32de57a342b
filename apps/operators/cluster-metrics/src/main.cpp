// cluster-metrics: the state of a cluster's objects as Prometheus series.
#include "cluster_series.hpp"
#include "label_conversion.hpp"

#include <kubecoro/endpoints/endpoint_server.hpp>
#include <kubecoro/program/guarded_endpoint.hpp>
#include <kubecoro/program/run_operator.hpp>

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace asio = boost::asio;
using namespace kubecoro;
using cluster_metrics::cluster_series;

struct settings
{
    std::string address = "8080";
    std::vector<std::string> resources;
    std::string shown;
    std::size_t max_scrapes = 4;
    std::size_t timeout = 30;
};

void add_flags(CLI::App& app, settings& s)
{
    app.add_option("--series-address", s.address,
                   "Serve the series at /metrics there: 8080 is loopback, :8080 every interface; default: 8080")
        ->envname("CLUSTER_METRICS_SERIES_ADDRESS");
    app.add_option("--resources", s.resources, "Serve series of these only: pods,nodes; may be repeated. Default: all")
        ->take_all()
        ->allow_extra_args(false)
        ->delimiter(',')
        ->envname("CLUSTER_METRICS_RESOURCES");
    app.add_option("--metric-labels-allowlist", s.shown,
                   "Labels of objects to be shown, by resource: pods=[app,team],nodes=[*]. Default: none")
        ->envname("CLUSTER_METRICS_METRIC_LABELS_ALLOWLIST");
    app.add_option("--max-scrapes", s.max_scrapes, "Scrapes at once; more wait for their turn. Default: 4")
        ->check(CLI::Range(1, 64))
        ->envname("CLUSTER_METRICS_MAX_SCRAPES");
    app.add_option("--scrape-timeout", s.timeout, "Seconds after which a scrape is broken off. Default: 30")
        ->check(CLI::Range(1, 600))
        ->envname("CLUSTER_METRICS_SCRAPE_TIMEOUT");
}

/// Until `stop` is settled.
asio::awaitable<result<>> serve(endpoint_options options, asio::any_io_executor executor, latch stop)
{
    endpoint_server server(std::move(executor), std::move(options));
    if (auto started = server.start(); !started) co_return started;
    co_await stop.wait();
    co_return co_await server.stop();
}

result<> set_up(manager& m, const operator_options& o, const settings& s)
{
    auto shown = cluster_metrics::parse_allowlist(s.shown);
    if (!shown) return shown.error();
    cluster_metrics::series_options wanted;
    wanted.resources = s.resources;
    wanted.shown = std::move(*shown);
    wanted.max_scrapes = s.max_scrapes;
    auto series = cluster_series::make(m, std::move(wanted));
    if (!series) return series.error();

    auto serving = guarded_endpoint(o, m, s.address);
    serving.pages.push_back((*series)->page());
    serving.limits = cluster_metrics::limits_of(std::chrono::seconds{s.timeout}, o.managing.grace);
    // Begins when all objects are there: a scrape without some of them looks as if they were deleted.
    m.run("series",
          [serving = std::move(serving), &m](latch stop) { return serve(serving, m.executor(), std::move(stop)); },
          {.needs_leadership = false});
    return {};
}

} // namespace

int main(int argc, char** argv)
{
    settings s;
    operator_options o{.name = "cluster-metrics", .version = KUBECORO_VERSION};
    o.description = "serves the state of a cluster's objects as Prometheus series";
    o.metrics = "8081";
    o.health = "8081";
    o.flags = [&s](CLI::App& app) { add_flags(app, s); };
    return run_operator(o, argc, argv,
                        [&s](manager& m, const operator_options& parsed) { return set_up(m, parsed, s); });
}
