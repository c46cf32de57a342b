// config-reloader: rolls workloads when the config maps and secrets that they read have changed.
#include "reloader.hpp"

#include <kubecoro/endpoints/prometheus_metrics.hpp>
#include <kubecoro/program/run_operator.hpp>

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

namespace {

using namespace kubecoro;
using namespace kubecoro::config_reloader;

void add_flags(CLI::App& app, reloader_options& options)
{
    const auto adopt = [&options](const std::string& how) {
        options.first_sight = how == "record" ? adoption::record : adoption::roll;
    };
    app.add_option_function<std::string>("--adopt", adopt,
                                         "First time a workload opts in: roll it once, or record the present contents. "
                                         "Default: roll")
        ->check(CLI::IsMember({"roll", "record"}));
    app.add_option("--workers", options.workers, "Workloads of each kind processed concurrently")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option_function<double>(
           "--settle",
           [&options](double s) {
               options.settle = std::chrono::duration_cast<duration>(std::chrono::duration<double>(s));
           },
           "Seconds without a change of its contents before a workload is rolled. Default: 2")
        ->check(CLI::Range(0.0, 3600.0));
}

std::shared_ptr<metrics> described_metrics()
{
    auto numbers = std::make_shared<prometheus_metrics>();
    // Cannot fail: the name is not in use yet.
    (void)numbers->describe(std::string(reload_counts::metric),
                            {.help = "Runs that rolled a workload, or recorded or awaited its contents, by outcome."});
    return numbers;
}

} // namespace

int main(int argc, char** argv)
{
    reloader_options options;
    operator_options program{.name = "config-reloader",
                             .version = KUBECORO_VERSION,
                             .description =
                                 "rolls workloads when the config maps and secrets that they read have changed",
                             .leader_election = {.lease = "config-reloader"},
                             .metrics = ":8080",
                             .health = ":8081"};
    program.connection.metrics = described_metrics();
    program.flags = [&options](CLI::App& app) { add_flags(app, options); };
    return run_operator(program, argc, argv, [&options](manager& m) { (void)add_reloader(m, options); });
}
