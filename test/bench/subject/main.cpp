// kubecoro as a subject of the bench: one informer in one mode, driven by commands on standard input.
#include "commands.hpp"
#include "fields.hpp"
#include "pipeline.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/client/client.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <CLI/CLI.hpp>

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <sched.h>

namespace {

namespace asio = boost::asio;
using namespace kubecoro;

struct options
{
    std::string server;
    std::string ca;
    std::string kubeconfig;
    std::string resource = "pods";
    std::string mode = "plain";
    std::vector<std::string> namespaces;
    std::string form = "protobuf";
    std::string list = "default";
    std::string arrivals;
    bool strip_managed_fields = false;
    int threads = 0;
};

resource_type resource_named(const std::string& plural)
{
    if (plural == "pods") return untyped::pod::resource();
    return {.group = "bench.example.com", .version = "v1", .plural = "widgets", .kind = "Widget"};
}

cluster_config cluster_of(const options& o)
{
    cluster_config cluster{.server = o.server, .origin = "the bench"};
    if (!o.ca.empty()) {
        std::ifstream in(o.ca);
        cluster.ca.assign(std::istreambuf_iterator<char>(in), {});
    }
    return cluster;
}

/// A real cluster with its TLS and credentials, or the replay server.
result<client> connect(const asio::any_io_executor& pool, const options& o)
{
    if (!o.kubeconfig.empty()) return client::connect(pool, {.kubeconfig = o.kubeconfig});
    return client::create(pool, cluster_of(o));
}

storage storage_named(const std::string& mode)
{
    if (mode == "compressed") return storage::compressed;
    if (mode == "metadata") return storage::metadata_only;
    return storage::plain;
}

/// @param pool  Runs the client and the informer; @param executor  everything else, one handler at a time.
asio::awaitable<result<>> run(asio::any_io_executor pool, asio::any_io_executor executor, options o)
{
    KUBECORO_TRY(auto connected, connect(pool, o));
    informer_options informer;
    informer.namespaces = o.namespaces;
    informer.storage.policy = storage_named(o.mode);
    informer.storage.hot_fields = {std::string(bench::paths_of(o.resource).first), "status.phase"};
    informer.decode.form = o.form == "json" ? wire_form::json : wire_form::protobuf;
    informer.decode.drop_managed_fields = o.strip_managed_fields;
    informer.policy = reflector_policy{.watch_list = o.list != "paged", .watch_list_json = o.list == "streamed"};
    informer.on_failure = [](const failure& f) { std::cerr << f.describe() << '\n'; };
    bench::pipeline work(executor, connected, resource_named(o.resource), informer, o.mode == "controller");
    auto served = co_await bench::serve_commands(executor, work, o.arrivals);
    auto stopped = co_await work.stop();
    co_return served ? stopped : served;
}

/// The number of cores that this process may use.
int usable_cores()
{
    cpu_set_t cores;
    return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

/// With one thread nothing is locked.
int run_on(int threads, const options& o)
{
    asio::io_context io(threads);
    asio::any_io_executor confined = io.get_executor();
    if (threads > 1) confined = asio::make_strand(io);
    int status = 1;
    asio::co_spawn(confined, run(io.get_executor(), confined, o), [&](std::exception_ptr thrown, result<> outcome) {
        if (!thrown && outcome) status = 0;
        if (!thrown && !outcome) std::cerr << outcome.error() << '\n';
    });
    std::vector<std::jthread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back([&io] { io.run(); });
    io.run();
    others.clear();
    return status;
}

} // namespace

int main(int argc, char** argv)
{
    options o;
    CLI::App app{"kubecoro as a subject of the bench; commands come on standard input."};
    auto* server = app.add_option("--server", o.server, "URL of the replay server");
    auto* kubeconfig = app.add_option("--kubeconfig", o.kubeconfig, "A cluster in place of the replay server");
    server->excludes(kubeconfig);
    app.add_option("--ca", o.ca, "Authority of an https server, PEM");
    app.add_option("--resource", o.resource)->check(CLI::IsMember({"pods", "widgets"}));
    app.add_option("--mode", o.mode)->check(CLI::IsMember({"plain", "compressed", "metadata", "controller"}));
    app.add_option("--form", o.form, "The form to ask for (default: protobuf, where a kind has it)")
        ->check(CLI::IsMember({"json", "protobuf"}));
    app.add_option("--list", o.list, "How the informer lists (default: as an informer does)")
        ->check(CLI::IsMember({"default", "streamed", "paged"}));
    app.add_option("--namespaces", o.namespaces, "Namespaces of the informer (default: all)")->delimiter(',');
    app.add_option("--arrivals", o.arrivals, "File for the stamp and the time of each reconcile");
    app.add_option("--threads", o.threads, "Threads of the program (default: one for each core that it may use)")
        ->check(CLI::Range(1, 64));
    app.add_flag("--strip-managed-fields", o.strip_managed_fields, "Omit metadata.managedFields");
    CLI11_PARSE(app, argc, argv);
    if (o.server.empty() && o.kubeconfig.empty()) {
        std::cerr << "either --server or --kubeconfig is required\n";
        return 2;
    }
    return run_on(o.threads != 0 ? o.threads : usable_cores(), o);
}
