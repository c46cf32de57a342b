// website: serves static pages, each site as a Deployment, a Service and a ConfigMap.
#include "website_reconciler.hpp"
#include "website_webhooks.hpp"

#include <kubecoro/program/run_operator.hpp>

#include <CLI/CLI.hpp>

#include <iostream>

int main(int argc, char** argv)
{
    using namespace kubecoro;
    website_operator::website_options options;
    operator_options program{.name = "website",
                             .version = KUBECORO_VERSION,
                             .description = "serves static pages, each site as a Deployment, a Service and a ConfigMap",
                             .leader_election = {.lease = "website"},
                             .metrics = ":8080",
                             .health = ":8081",
                             .webhooks = ":9443"};
    program.flags = [&options](CLI::App& app) {
        app.add_option("--workers", options.workers, "Websites processed concurrently")
            ->check(CLI::Range(1, 1000))
            ->capture_default_str();
        app.add_flag_callback(
            "--print-crd",
            [] {
                std::cout << website_operator::definition().value();
                throw CLI::Success();
            },
            "Print the definition of the kind Website, and end");
    };
    return run_operator(program, argc, argv, [&options](manager& m, const operator_options& o) {
        website_operator::add_websites(m, options);
        website_operator::add_webhooks(m, {.address = o.webhooks});
    });
}
