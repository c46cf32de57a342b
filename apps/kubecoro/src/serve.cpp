// `kubecoro serve`: the embedded API server for kubectl and other programs.
#include "commands.hpp"
#include "data_directory.hpp"
#include "embedded.hpp"
#include "output.hpp"

#include <kubecoro/base/try.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <sys/stat.h>
#include <unistd.h>

namespace kubecoro::tool {

namespace asio = boost::asio;

namespace {

using data_ptr = std::shared_ptr<data_directory>;

/// Completes when the reader of standard output has closed it: a pipe without a reader reports an error.
asio::awaitable<result<>> until_output_is_gone(asio::any_io_executor executor, latch stop)
{
    struct stat about
    {
    };
    const bool piped = ::fstat(STDOUT_FILENO, &about) == 0 && (S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode));
    const int copy = piped ? ::dup(STDOUT_FILENO) : -1;
    if (copy < 0) co_return co_await stop.wait();
    asio::posix::stream_descriptor pipe(executor, copy);
    const auto [ended] =
        co_await pipe.async_wait(asio::posix::descriptor_base::wait_error, asio::as_tuple(asio::use_awaitable));
    co_return ended ? result<>(failure(ended, "wait for standard output to close")) : result<>();
}

asio::awaitable<result<std::uint64_t>> save(apiserver::embedded_server& server, data_ptr data, std::uint64_t saved)
{
    auto version = co_await server.resource_version();
    if (!version || *version == saved) co_return version;
    KUBECORO_TRY(auto state, co_await server.snapshot());
    KUBECORO_TRY(data->save_state(state));
    co_return *version;
}

/// Saves once a second if something has changed. A failure, such as a full disk, is logged and retried.
asio::awaitable<result<>> save_regularly(apiserver::embedded_server& server, data_ptr data, logger log)
{
    std::uint64_t saved = 0;
    const auto time = real_clock();
    while (true) {
        KUBECORO_TRY(co_await sleep_for(*time, std::chrono::seconds{1}));
        auto done = co_await save(server, data, saved);
        if (done)
            saved = *done;
        else
            log.warning("the state could not be saved", {{"failure", done.error().describe()}});
    }
}

asio::awaitable<result<>> restore(apiserver::embedded_server& server, data_ptr data)
{
    KUBECORO_TRY(auto state, data->load_state());
    if (!state) co_return result<>();
    co_return co_await server.restore(std::move(*state));
}

asio::awaitable<result<>> run_until_stopped(embedded& cluster, data_ptr data, program_context context, logger log)
{
    using namespace asio::experimental::awaitable_operators;
    auto gone = catch_failure(until_output_is_gone(context.executor, context.stop));
    if (!data) {
        auto first = co_await (std::move(gone) || context.stop.wait());
        co_return first.index() == 0 ? std::get<0>(first) : std::get<1>(first);
    }
    auto saving = catch_failure(save_regularly(cluster.server(), data, std::move(log)));
    auto first = co_await (std::move(gone) || context.stop.wait() || std::move(saving));
    KUBECORO_TRY(co_await save(cluster.server(), data, 0));
    co_return first.index() == 0 ? std::get<0>(first) : first.index() == 1 ? std::get<1>(first) : std::get<2>(first);
}

asio::awaitable<result<>> serve_until_stopped(embedded& cluster, serve_command options, data_ptr data,
                                              program_context context)
{
    if (data) {
        KUBECORO_TRY(co_await restore(cluster.server(), data));
    }
    KUBECORO_TRY(auto loaded, co_await load_files(cluster.server(), options.load));
    KUBECORO_TRY(co_await cluster.listen());
    if (!options.kubeconfig_out.empty()) {
        KUBECORO_TRY(apiserver::write_private_file(options.kubeconfig_out, cluster.admin_kubeconfig()));
    }
    if (!options.limited_kubeconfig_out.empty()) {
        KUBECORO_TRY(apiserver::write_private_file(options.limited_kubeconfig_out, cluster.limited_kubeconfig()));
    }
    output out;
    // The address is printed last: everything is ready when it appears.
    if (!options.load.empty()) out.line("loaded " + std::to_string(loaded) + " objects");
    out.line("listening on " + cluster.url());
    co_return co_await run_until_stopped(cluster, data, context, options.log);
}

} // namespace

asio::awaitable<result<>> serve(serve_command options, program_context context)
{
    KUBECORO_TRY(auto settings, parse_listen(options.listen));
    settings.history = options.history;
    settings.namespace_defaults = !options.empty_namespaces;
    if (options.live) settings.live_nodes = 1;
    settings.log = options.log;
    if (is_every_interface(settings.address))
        options.log.warning(
            "the API server listens on all interfaces: any host that can reach this machine can connect",
            {{"listen", options.listen}});
    data_ptr data;
    if (!options.data.empty()) {
        KUBECORO_TRY(auto opened, data_directory::open(options.data));
        data = std::move(opened);
        settings.authority = data->authority();
        settings.admin_token = data->admin_token();
        settings.limited_token = data->limited_token();
    }
    embedded cluster(context.executor, std::move(settings));
    auto outcome = co_await serve_until_stopped(cluster, std::move(options), std::move(data), context);
    auto stopped = co_await cluster.server().stop();
    if (!outcome) co_return outcome;
    co_return stopped;
}

} // namespace kubecoro::tool
