// `kubecoro serve`: the embedded API server for kubectl and other programs.
#include "commands.hpp"
#include "embedded.hpp"
#include "output.hpp"

namespace kubecoro::tool {

namespace asio = boost::asio;

namespace {

asio::awaitable<result<>> serve_until_stopped(embedded& cluster, serve_command options, latch stop)
{
    auto loaded = co_await load_files(cluster.server(), options.load);
    if (!loaded) co_return loaded.error();
    auto listening = co_await cluster.listen();
    if (!listening) co_return listening;
    if (!options.kubeconfig_out.empty()) {
        auto written = apiserver::write_private_file(options.kubeconfig_out, cluster.admin_kubeconfig());
        if (!written) co_return written;
    }
    if (!options.limited_kubeconfig_out.empty()) {
        auto written = apiserver::write_private_file(options.limited_kubeconfig_out, cluster.limited_kubeconfig());
        if (!written) co_return written;
    }
    output out;
    // The address comes last: who waits for it finds everything in place.
    if (!options.load.empty()) out.line("loaded " + std::to_string(*loaded) + " objects");
    out.line("listening on " + cluster.url());
    co_return co_await stop.wait();
}

} // namespace

asio::awaitable<result<>> serve(serve_command options, program_context context)
{
    auto settings = parse_listen(options.listen);
    if (!settings) co_return settings.error();
    settings->history = options.history;
    settings->log = options.log;
    embedded cluster(context.executor, std::move(*settings));
    auto outcome = co_await serve_until_stopped(cluster, std::move(options), context.stop);
    auto stopped = co_await cluster.server().stop();
    if (!outcome) co_return outcome;
    co_return stopped;
}

} // namespace kubecoro::tool
