// config-reloader: rolls workloads when the config maps and secrets that they read have changed.
#include "flags.hpp"
#include "program.hpp"
#include "reloader.hpp"

#include <kubecoro/program/spdlog_logger.hpp>

#include <CLI/CLI.hpp>

#include <string>
#include <utility>

namespace {

namespace asio = boost::asio;
using namespace kubecoro;
using config_reloader::adoption;

struct settings
{
    std::string kubeconfig;
    std::string context;
    config_reloader::reloader_options operate;
    std::string adopt = "roll";
    std::string format = "text";
    int verbosity = 0;
    logger log;
};

void add_flags(CLI::App& app, settings& s)
{
    app.add_option("--kubeconfig", s.kubeconfig, "Kubeconfig file; default: KUBECONFIG, ~/.kube/config, in-cluster");
    app.add_option("--context", s.context, "Context of the kubeconfig; default: the current context");
    app.add_option("-n,--namespace", s.operate.namespaces, "Manage only this namespace; may be repeated. Default: all")
        ->take_all()
        ->allow_extra_args(false)
        ->check([](const std::string& name) {
            return tool::is_namespace(name) ? std::string() : "expects the name of a namespace";
        });
    app.add_option("--adopt", s.adopt, "First time a workload opts in: roll it once, or record the present contents")
        ->check(CLI::IsMember({"roll", "record"}))
        ->capture_default_str();
    app.add_option("--workers", s.operate.workers, "Workloads of each kind processed concurrently")
        ->check(tool::whole_number_from_one())
        ->capture_default_str();
    app.add_option("--log-format", s.format, "text, or json: one object per line")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    app.add_flag("-v,--verbose", s.verbosity, "Log everything, and a summary at the end");
}

asio::awaitable<result<>> operate_until_stopped(config_reloader::reloader& operating, logger log, latch stop)
{
    operating.start();
    const auto ready = co_await tool::unless_stopped(stop, operating.ready());
    if (!ready) co_return ready;
    log.info("ready: every workload that opted in is managed");
    co_return co_await stop.wait();
}

asio::awaitable<result<>> run(settings s, program_context context)
{
    client_options how;
    how.kubeconfig = s.kubeconfig;
    how.context = s.context;
    how.log = s.log;
    how.user_agent = "config-reloader/" KUBECORO_VERSION;
    auto cluster = client::connect(context.executor, how);
    if (!cluster) co_return cluster.error();
    s.log.info("starting", {{"server", cluster->server()}});
    config_reloader::reloader operating(context.executor, *cluster, s.operate);
    auto outcome = co_await operate_until_stopped(operating, s.log, context.stop);
    const auto stopped = co_await operating.stop();
    s.log.debug(operating.describe());
    s.log.info("stopped", {{"rolled", operating.counts().rolled}, {"adopted", operating.counts().adopted}});
    // A signal before the first lists have arrived is a normal end as well.
    if (!outcome && outcome.error() != cond::cancelled) co_return outcome;
    co_return stopped;
}

} // namespace

int main(int argc, char** argv)
{
    CLI::App app{"config-reloader: rolls workloads when the config maps and secrets that they read have changed"};
    app.set_version_flag("--version", "config-reloader " KUBECORO_VERSION);
    settings s;
    add_flags(app, s);
    CLI11_PARSE(app, argc, argv);
    s.log = spdlog_logger(s.verbosity > 0 ? log_level::debug : log_level::info,
                          s.format == "json" ? log_format::json : log_format::text);
    if (s.adopt == "record") s.operate.first_sight = adoption::record;
    s.operate.informers.log = s.log;
    return run_program([&s](program_context context) { return run(s, std::move(context)); }, "config-reloader");
}
