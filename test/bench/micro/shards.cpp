// kubecoro_bench_shards [MEMBERS] [OBJECTS] [CHANGES]
//
// CPU of a whole group, in one thread and in virtual time: MEMBERS replicas with a controller each sync OBJECTS config maps, and each of
// these changes CHANGES times. A run reads its object, and writes its JSON. Prints the CPU seconds of the members and the server
// together, with the share of the first sync. docs/guide/shards.md says which part of it each member pays for all objects.
#include <kubecoro/api/edit.hpp>
#include <kubecoro/api/untyped.hpp>
#include <kubecoro/apiserver/in_process.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/controller/controller.hpp>
#include <kubecoro/controller/shard_member.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace asio = boost::asio;
namespace kt = kubecoro::testing;
using namespace kubecoro;
using untyped::config_map;

namespace {

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

apiserver::server_options timed_by(kt::runner& run)
{
    apiserver::server_options o;
    o.time = run.shared_clock();
    return o;
}

client_options client_timed_by(kt::runner& run)
{
    client_options o;
    o.time = run.shared_clock();
    return o;
}

struct replica
{
    informer_factory informers;
    shard_member member;
    shared_informer<object> maps;
    lister<object> stored;
    controller<object> worker;
    std::size_t runs = 0;
    std::size_t bytes = 0;

    replica(kt::runner& run, const client& cluster, int number)
        : informers(cluster),
          member(run.executor(), cluster, {.group = "bench", .identity = "replica-" + std::to_string(number)}),
          maps(informers.get<config_map>()),
          stored(maps.lister()),
          worker(run.executor(), [this](const object_key& key, reconcile_context&) { return reconcile(key); },
                 {.name = "bench", .workers = 8, .share = member.share(), .time = run.shared_clock()})
    {
        worker.watch(maps, enqueue_object());
        informers.start();
        worker.start();
    }
    asio::awaitable<result<action>> reconcile(object_key key)
    {
        ++runs;
        const auto o = stored.get(key);
        if (o) bytes += boost::json::serialize(o.to_json()).size();
        co_return action::done();
    }
};

void write(kt::runner& run, const client& cluster, int number, int version)
{
    auto body = new_object(config_map::resource(), {"default", "map-" + std::to_string(number)});
    field(body, "data", "version") = std::to_string(version);
    field(body, "data", "content") = std::string(1'000, 'x');
    json_text text{boost::json::value(std::move(body))};
    const auto name = "map-" + std::to_string(number);
    const auto done = version == 0 ? run.run(cluster.create(config_map::resource(), "default", std::move(text)))
                                   : run.run(cluster.update(config_map::resource(), "default", name, std::move(text)));
    if (!done) std::fprintf(stderr, "%s\n", done.error().describe().c_str());
}

int argument(int argc, char** argv, int n, int usual) { return argc > n ? std::atoi(argv[n]) : usual; }

} // namespace

int main(int argc, char** argv)
{
    const int members = argument(argc, argv, 1, 1);
    const int objects = argument(argc, argv, 2, 5'000);
    const int changes = argument(argc, argv, 3, 3);

    kt::runner run;
    apiserver::embedded_server server(run.executor(), timed_by(run));
    const client cluster(run.executor(), std::make_shared<apiserver::in_process_transport>(server),
                         client_timed_by(run));
    for (int i = 0; i < objects; ++i) write(run, cluster, i, 0);

    const auto begun = cpu_seconds();
    std::vector<std::unique_ptr<replica>> all;
    std::vector<kt::task<void>> memberships;
    for (int i = 0; i < members; ++i) {
        all.push_back(std::make_unique<replica>(run, cluster, i));
        memberships.push_back(run.spawn(all.back()->member.run()));
    }
    for (const auto& r : all) static_cast<void>(run.run(r->member.settled()));
    run.run_until_idle();
    const auto synced = cpu_seconds();
    for (int version = 1; version <= changes; ++version)
        for (int i = 0; i < objects; ++i) write(run, cluster, i, version);
    run.run_until_idle();
    const auto ended = cpu_seconds();

    std::size_t runs = 0, bytes = 0;
    for (const auto& r : all) runs += r->runs, bytes += r->bytes;
    std::printf("%d members, %d objects, %d changes each: %zu runs, %zu bytes, %.3f CPU s, %.3f of them to sync\n",
                members, objects, changes, runs, bytes, ended - begun, synced - begun);
    for (const auto& r : all) {
        static_cast<void>(run.run(r->member.stop()));
        static_cast<void>(run.run(r->worker.stop()));
        static_cast<void>(run.run(r->informers.stop()));
    }
    static_cast<void>(run.run(server.stop()));
    return 0;
}
