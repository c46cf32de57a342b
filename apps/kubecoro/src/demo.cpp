// `kubecoro demo`: informers keep a live copy of a busy cluster, which is compared with the server at the end.
#include "commands.hpp"
#include "demo_script.hpp"
#include "embedded_files.hpp"
#include "scratch_file.hpp"

#include <kubecoro/base/printable.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/client/discovery.hpp>

#include <cstdio>

namespace kubecoro::tool {

namespace asio = boost::asio;

namespace {

constexpr auto quiet_limit = std::chrono::seconds{10};
/// Number of writes of the whole script, used to spread it over the requested time.
constexpr int script_writes = 90;

void print_summary(feed& show, const demo_informers& informers, const comparison& found)
{
    const auto& n = show.counts();
    show.plain("");
    informers.print_table();
    show.plain("");
    show.plain("events: " + std::to_string(n.initial) + " initial, " + std::to_string(n.added) + " added, " +
               std::to_string(n.updated) + " updated, " + std::to_string(n.deleted) + " deleted");
    for (const auto& line : found.differences) show.plain("  differs: " + printable(line));
    const std::string compared = std::to_string(found.compared) + " objects compared with the server: ";
    show.plain(compared + show.verdict(found.equal(),
                                       found.equal() ? "all equal" : std::to_string(found.differing) + " DIFFERENT"));
}

asio::awaitable<result<>> compare_and_sum_up(feed& show, const demo_informers& informers, client truth)
{
    show.heading("comparing the informers' stores with the server, object by object");
    KUBECORO_TRY(auto found, co_await informers.compare(truth, quiet_limit));
    print_summary(show, informers, found);
    if (!found.equal()) co_return failure(cond::internal, "the informers' stores differ from the server");
    co_return result<>();
}

asio::awaitable<result<>> sync(feed& show, demo_informers& informers)
{
    const auto time = real_clock();
    const auto start = time->now();
    informers.start();
    KUBECORO_TRY(co_await informers.has_synced());
    std::size_t objects = 0;
    for (const auto& s : informers.stats()) objects += s.objects;
    char text[96];
    std::snprintf(text, sizeof text, "synced: %zu objects in %.3f s", objects,
                  std::chrono::duration<double>(time->now() - start).count());
    show.heading(text);
    co_return result<>();
}

asio::awaitable<result<std::size_t>> load(embedded& cluster, std::string path)
{
    if (!path.empty()) {
        std::vector<std::string> paths{std::move(path)};
        co_return co_await load_files(cluster.server(), std::move(paths));
    }
    co_return co_await cluster.server().load(std::string(demo_objects()), "demo_objects.yaml");
}

void print_server_counters(feed& show, embedded& cluster, const workload& work)
{
    const auto n = cluster.server().counters();
    show.plain("server: " + std::to_string(work.writes()) + " writes of the workload, " + std::to_string(n.lists) +
               " lists and " + std::to_string(n.watches) + " watches served over " + std::to_string(n.connections) +
               " connections; 2 cuts, 1 compaction");
}

/// Performs the script, and then random work until it is cancelled.
/// @param hint  Shown while random work continues; empty = only the script.
asio::awaitable<result<>> perform(demo_stage stage, std::string hint)
{
    auto done = co_await play(stage);
    if (done && !hint.empty()) {
        stage.show.heading("random work continues until Ctrl-C; " + hint);
        done = co_await keep_playing(stage);
    }
    co_return done;
}

asio::awaitable<result<>> run_embedded(const demo_command& options, const program_context& context, embedded& cluster,
                                       feed& show)
{
    KUBECORO_TRY(auto loaded, co_await load(cluster, options.manifests));
    KUBECORO_TRY(co_await cluster.listen());
    show.heading("embedded API server at " + cluster.url() + " with " + std::to_string(loaded) + " objects");
    scratch_file kubeconfig;
    std::string hint;
    if (options.keep) {
        KUBECORO_TRY(kubeconfig.write(cluster.admin_kubeconfig()));
        hint = "try: kubectl --kubeconfig " + kubeconfig.path() + " get pods -A --watch";
        show.note(hint);
    }
    KUBECORO_TRY(auto api, cluster.connect());

    const auto time = real_clock();
    const duration pause = duration(options.length.value_or(std::chrono::seconds{12})) / script_writes;
    workload work(cluster.direct(), options.seed, [time, pause] { return sleep_for(*time, pause); });
    const resource_type campaigns{"shop.example.com", "v1", "campaigns", "Campaign", true};
    factory_options how;
    how.log = options.log;
    // Shorter delays than the defaults, because the demo lasts only seconds.
    how.policy.backoff.initial = std::chrono::milliseconds{200};
    how.policy.backoff.cap = std::chrono::seconds{1};
    demo_informers informers(api, show, std::move(how), {campaigns});
    auto done = co_await unless_stopped(context.stop, sync(show, informers));
    if (done) {
        const demo_stage stage{cluster, work, show, informers};
        done = co_await unless_stopped(context.stop, perform(stage, hint));
        // A stop ends the demo early; the comparison is made all the same.
        if (done || done.error() == cond::cancelled)
            done = co_await compare_and_sum_up(show, informers, cluster.direct());
        if (done) print_server_counters(show, cluster, work);
    }
    auto ended = co_await informers.stop();
    if (!done) co_return done;
    co_return ended;
}

asio::awaitable<result<>> demo_embedded(const demo_command& options, const program_context& context, feed& show)
{
    embedded_options settings;
    settings.log = options.log;
    embedded cluster(context.executor, std::move(settings));
    auto outcome = co_await run_embedded(options, context, cluster, show);
    auto stopped = co_await cluster.server().stop();
    if (!outcome) co_return outcome;
    co_return stopped;
}

/// Completes after `length`, or never when that is zero.
asio::awaitable<result<>> watch_for(std::chrono::seconds length)
{
    if (length.count() == 0) length = std::chrono::hours{24 * 365};
    co_return co_await sleep_for(*real_clock(), length);
}

asio::awaitable<result<>> demo_on_cluster(const demo_command& options, const program_context& context, feed& show)
{
    client_options how;
    how.kubeconfig = options.kubeconfig;
    how.log = options.log;
    KUBECORO_TRY(auto api, client::connect(context.executor, how));
    // A cheap request first, so that a wrong address gives an error and not endless retries.
    KUBECORO_TRY(co_await unless_stopped(context.stop, find_resource(api, "pods")));
    show.heading("cluster at " + api.server() + ", read-only; Ctrl-C ends");
    factory_options with;
    with.log = options.log;
    demo_informers informers(api, show, std::move(with), {});
    auto done = co_await unless_stopped(context.stop, sync(show, informers));
    if (done) {
        const auto length = options.length.value_or(std::chrono::seconds{0});
        done = co_await unless_stopped(context.stop, watch_for(length));
        if (done || done.error() == cond::cancelled) done = co_await compare_and_sum_up(show, informers, api);
    }
    auto ended = co_await informers.stop();
    if (!done) co_return done;
    co_return ended;
}

} // namespace

asio::awaitable<result<>> demo(demo_command options, program_context context)
{
    const auto time = real_clock();
    feed show(*time, options.colour);
    if (options.kubeconfig.empty()) co_return co_await demo_embedded(options, context, show);
    co_return co_await demo_on_cluster(options, context, show);
}

} // namespace kubecoro::tool
