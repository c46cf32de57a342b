// kubecoro_bench_shards [MEMBERS] [OBJECTS] [CHANGES] [ROUNDS]
//
// Total CPU of MEMBERS replicas beside one. Each replica syncs OBJECTS config maps over a connection of its own, and each of these changes
// CHANGES times; a run reads its object, and writes its JSON. The server is another process, which does not count. Replicas keep all objects
// ("whole"), or those of their keys ("divided"). Measurements are interleaved; medians of ROUNDS are printed, with the ratio to one.
#include <kubecoro/api/edit.hpp>
#include <kubecoro/api/untyped.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/controller/controller.hpp>
#include <kubecoro/controller/shard_member.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace asio = boost::asio;
using namespace kubecoro;
using namespace std::chrono_literals;
using untyped::config_map;

namespace {

/// The server's only user has it.
constexpr auto* token = "bench";

struct workload
{
    int members = 4;
    int objects = 5'000;
    int changes = 3;
    int rounds = 5;
};

/// One figure of a measurement; a process sends it to its parent as it is.
struct measured
{
    double sync_cpu = 0;
    double cpu = 0;
    double store_bytes = 0;
};

double cpu_seconds()
{
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Two ends of a conversation between two processes.
class channel
{
public:
    channel()
    {
        if (pipe(there_.data()) != 0 || pipe(back_.data()) != 0) throw std::runtime_error("no pipe");
    }
    void turn_around() noexcept { std::swap(there_, back_); }
    template<class T>
    void send(const T& what) const
    {
        if (::write(there_[1], &what, sizeof what) != sizeof what) std::exit(1);
    }
    template<class T>
    [[nodiscard]] T receive() const
    {
        T what{};
        if (::read(back_[0], &what, sizeof what) != sizeof what) std::exit(1);
        return what;
    }

private:
    std::array<int, 2> there_{};
    std::array<int, 2> back_{};
};

template<class T>
asio::awaitable<void> keep(asio::awaitable<T> work, std::optional<T>& out)
{
    out.emplace(co_await std::move(work));
}

template<class T>
T run(asio::io_context& context, asio::awaitable<T> work)
{
    std::optional<T> out;
    asio::co_spawn(context, keep(std::move(work), out), asio::detached);
    while (!out) context.run_one();
    return std::move(*out);
}

// ---- the server's process

std::string text_of(int number, int version)
{
    auto body = new_object(config_map::resource(), {"default", "map-" + std::to_string(number)});
    field(body, "data", "version") = std::to_string(version);
    field(body, "data", "content") = std::string(1'000, 'x');
    return boost::json::serialize(body);
}

asio::awaitable<result<>> write_all(apiserver::embedded_server& server, int objects, int version)
{
    const std::string all = "/api/v1/namespaces/default/configmaps";
    for (int i = 0; i < objects; ++i) {
        const auto target = version == 0 ? all : all + "/map-" + std::to_string(i);
        auto writing = server.execute(version == 0 ? "POST" : "PUT", target, text_of(i, version));
        const auto written = co_await std::move(writing);
        if (!written) co_return written.error();
    }
    co_return result<>{};
}

/// Writes a version of all objects for each number that it receives, until one is negative.
void serve(const workload& w, const channel& parent)
{
    asio::io_context context(1);
    const auto keep = asio::make_work_guard(context);
    apiserver::server_options options;
    options.tokens.push_back({token, {"bench", {"system:masters"}}});
    apiserver::embedded_server server(context.get_executor(), std::move(options));
    const auto at = run(context, server.listen({}));
    parent.send<int>(at ? at->port : 0);
    for (;;) {
        // The server works while this thread waits for the next number.
        std::thread working([&context] { context.run(); });
        const int version = parent.receive<int>();
        if (version < 0) std::_Exit(0);
        std::promise<bool> done;
        asio::co_spawn(context, write_all(server, w.objects, version),
                       [&done](const std::exception_ptr& e, const result<>& outcome) {
                           if (!e && !outcome) std::fprintf(stderr, "%s\n", outcome.error().describe().c_str());
                           done.set_value(!e && outcome);
                       });
        parent.send(done.get_future().get());
        context.stop();
        working.join();
        context.restart();
    }
}

// ---- the members' process

/// The versions of objects that runs have seen.
class progress
{
public:
    explicit progress(int objects) : seen_(static_cast<std::size_t>(objects), -1) {}
    void note(const object& o)
    {
        const auto number = static_cast<std::size_t>(std::atoi(std::string(o.name()).c_str() + 4)); // behind "map-"
        const int version = std::atoi(std::string(o["data"]["version"].as_string()).c_str());
        if (std::exchange(seen_.at(number), version) != version) ++noted_;
    }
    [[nodiscard]] std::size_t noted() const noexcept { return noted_; }

private:
    std::vector<int> seen_;
    std::size_t noted_ = 0;
};

struct replica
{
    informer_factory informers;
    shard_member member;
    shared_informer<object> maps;
    lister<object> stored;
    controller<object> worker;
    progress* seen;
    std::size_t bytes = 0;

    replica(const asio::any_io_executor& executor, const client& cluster, int number, bool divided, progress& all)
        : informers(cluster),
          member(executor, cluster, {.group = "bench", .identity = "replica-" + std::to_string(number)}),
          maps(informers.get<config_map>(kept(divided))),
          stored(maps.lister()),
          worker(executor, [this](const object_key& key, reconcile_context&) { return reconcile(key); },
                 {.name = "bench", .workers = 8, .share = member.share()}),
          seen(&all)
    {
        worker.watch(maps, enqueue_object());
        informers.start();
        worker.start();
    }
    informer_options kept(bool divided) const
    {
        informer_options o{.namespaces = {"default"}};
        if (divided) o.share = member.share();
        return o;
    }
    asio::awaitable<result<action>> reconcile(object_key key)
    {
        if (const auto o = stored.get(key)) {
            seen->note(o);
            bytes += boost::json::serialize(o.to_json()).size();
        }
        co_return action::done();
    }
};

/// Runs until this number of versions was seen.
void work(asio::io_context& context, const progress& seen, std::size_t wanted)
{
    while (seen.noted() < wanted) context.run_one();
    context.run_for(100ms); // what is left of it
}

measured measure(const workload& w, int members, bool divided, const channel& server, int port)
{
    asio::io_context context(1);
    const auto executor = context.get_executor();
    const cluster_config config{.server = "http://127.0.0.1:" + std::to_string(port), .login = {.token = token}};
    const auto objects = static_cast<std::size_t>(w.objects);
    progress seen(w.objects);
    std::vector<std::unique_ptr<replica>> all;
    const auto before = cpu_seconds();
    for (int i = 0; i < members; ++i) {
        all.push_back(std::make_unique<replica>(executor, client::create(executor, config).value(), i, divided, seen));
        asio::co_spawn(executor, all.back()->member.run(), asio::detached);
    }
    for (const auto& r : all) (void)run(context, r->member.settled());
    work(context, seen, objects);
    measured out{.sync_cpu = cpu_seconds() - before};
    for (int version = 1; version <= w.changes; ++version) {
        server.send(version);
        work(context, seen, objects * static_cast<std::size_t>(version + 1));
        if (!server.receive<bool>()) std::exit(1);
    }
    out.cpu = cpu_seconds() - before;
    for (const auto& r : all) out.store_bytes += static_cast<double>(r->maps.stats().bytes);
    for (const auto& r : all) {
        (void)run(context, r->member.stop());
        (void)run(context, r->worker.stop());
        (void)run(context, r->informers.stop());
    }
    return out;
}

/// In processes of its own, so that no measurement begins with the memory of another.
measured measure_apart(const workload& w, int members, bool divided)
{
    channel server;
    const auto serving = fork();
    if (serving == 0) {
        server.turn_around();
        serve(w, server);
    }
    const int port = server.receive<int>();
    server.send(0);
    if (!server.receive<bool>()) std::exit(1);
    channel result;
    const auto measuring = fork();
    if (measuring == 0) {
        result.turn_around();
        result.send(measure(w, members, divided, server, port));
        std::_Exit(0);
    }
    const auto out = result.receive<measured>();
    server.send(-1);
    int status = 0;
    waitpid(measuring, &status, 0);
    waitpid(serving, &status, 0);
    return out;
}

double median(std::vector<double> all)
{
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
}

measured median(const std::vector<measured>& all)
{
    const auto of = [&all](double measured::*which) {
        std::vector<double> one;
        for (const auto& m : all) one.push_back(m.*which);
        return median(std::move(one));
    };
    return {of(&measured::sync_cpu), of(&measured::cpu), of(&measured::store_bytes)};
}

void print(const char* what, int members, const measured& m, const measured& one)
{
    std::printf("%-8s %3d members: %8.3f CPU s (%.2f of one), %8.3f of them to sync (%.2f), stores %8.2f MB (%.2f)\n",
                what, members, m.cpu, m.cpu / one.cpu, m.sync_cpu, m.sync_cpu / one.sync_cpu, m.store_bytes / 1e6,
                m.store_bytes / one.store_bytes);
}

int argument(int argc, char** argv, int n, int usual) { return argc > n ? std::atoi(argv[n]) : usual; }

} // namespace

int main(int argc, char** argv)
{
    const workload w{.members = argument(argc, argv, 1, 4),
                     .objects = argument(argc, argv, 2, 5'000),
                     .changes = argument(argc, argv, 3, 3),
                     .rounds = argument(argc, argv, 4, 5)};
    if (w.members < 1 || w.objects < 1 || w.changes < 0 || w.rounds < 1) return 1;
    std::vector<measured> one, whole, divided;
    for (int round = 0; round < w.rounds; ++round) {
        one.push_back(measure_apart(w, 1, false));
        whole.push_back(measure_apart(w, w.members, false));
        divided.push_back(measure_apart(w, w.members, true));
    }
    std::printf("%d objects, %d changes each, medians of %d\n", w.objects, w.changes, w.rounds);
    print("whole", 1, median(one), median(one));
    print("whole", w.members, median(whole), median(one));
    print("divided", w.members, median(divided), median(one));
    return 0;
}
