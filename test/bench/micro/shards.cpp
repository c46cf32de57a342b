// kubecoro_bench_shards [MEMBERS] [OBJECTS] [CHANGES] [ROUNDS] [RATE]
//
// Total CPU of MEMBERS replicas beside one. Each replica is a process of its own, and syncs OBJECTS config maps; each of these changes
// CHANGES times, RATE of them a second (0: as fast as the server can); a run reads its object, and writes its JSON. The server
// is another process, which does not count. Replicas keep all objects ("whole"), or those of their keys ("divided"). Measurements are
// interleaved; medians of ROUNDS are printed, with the ratio to one.
#include <kubecoro/api/edit.hpp>
#include <kubecoro/api/untyped.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/controller/controller.hpp>
#include <kubecoro/controller/shard_member.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <future>
#include <new>
#include <optional>
#include <span>
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
    int rate = 0;
};

struct measured
{
    double sync_cpu = 0;
    double cpu = 0;
    double store_bytes = 0;
};

/// CPU time of a process since its start; its user and system time.
double cpu_seconds(pid_t process)
{
    clockid_t its{};
    timespec used{};
    if (clock_getcpuclockid(process, &its) != 0 || clock_gettime(its, &used) != 0)
        throw std::runtime_error("the CPU time of a member is not known");
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
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
    [[nodiscard]] int incoming() const noexcept { return back_[0]; }

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

asio::awaitable<result<>> write_all(apiserver::embedded_server& server, const workload& w, int version)
{
    const std::string all = "/api/v1/namespaces/default/configmaps";
    asio::steady_timer turn(co_await asio::this_coro::executor);
    const auto began = turn.expiry();
    for (int i = 0; i < w.objects; ++i) {
        if (version != 0 && w.rate != 0) {
            turn.expires_at(began + i * 1'000'000'000ns / w.rate);
            co_await turn.async_wait(asio::use_awaitable);
        }
        const auto target = version == 0 ? all : all + "/map-" + std::to_string(i);
        KUBECORO_TRY(co_await server.execute(version == 0 ? "POST" : "PUT", target, text_of(i, version)));
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
        asio::co_spawn(context, write_all(server, w, version),
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

// ---- the members, a process each

/// The versions that runs have seen, in memory that all processes share.
class progress
{
public:
    explicit progress(int objects)
        : size_(sizeof(figures) + static_cast<std::size_t>(objects) * sizeof(std::atomic<int>))
    {
        void* const at = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED) throw std::runtime_error("no shared memory");
        figures_ = new (at) figures;
        seen_ = {new (figures_ + 1) std::atomic<int>[static_cast<std::size_t>(objects)],
                 static_cast<std::size_t>(objects)};
        for (auto& version : seen_) version = -1;
    }
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    ~progress() { munmap(figures_, size_); }

    void note(const object& o)
    {
        const auto number = static_cast<std::size_t>(std::atoi(std::string(o.name()).c_str() + 4)); // behind "map-"
        const int version = std::atoi(std::string(o["data"]["version"].as_string()).c_str());
        if (number < seen_.size() && seen_[number].exchange(version) != version) ++figures_->noted;
    }
    void add_stored(std::size_t bytes) { figures_->stored += bytes; }
    [[nodiscard]] std::size_t stored() const noexcept { return figures_->stored; }

    [[nodiscard]] std::size_t noted() const noexcept { return figures_->noted; }

private:
    struct figures
    {
        std::atomic<std::size_t> noted{0};
        std::atomic<std::size_t> stored{0};
    };
    std::size_t size_;
    figures* figures_ = nullptr;
    std::span<std::atomic<int>> seen_;
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

/// Works until its parent says so.
void be_member(int number, int port, bool divided, const channel& parent, progress& seen)
{
    asio::io_context context(1);
    const auto executor = context.get_executor();
    const cluster_config config{.server = "http://127.0.0.1:" + std::to_string(port), .login = {.token = token}};
    replica self(executor, client::create(executor, config).value(), number, divided, seen);
    asio::co_spawn(executor, self.member.run(), asio::detached);
    asio::posix::stream_descriptor told(context, parent.incoming());
    told.async_wait(asio::posix::descriptor_base::wait_read, [&](auto) { context.stop(); });
    context.run();
    seen.add_stored(self.maps.stats().bytes);
    context.restart();
    (void)run(context, self.member.stop());
    (void)run(context, self.worker.stop());
    (void)run(context, self.informers.stop());
    std::_Exit(0);
}

/// The processes of a group.
class group
{
public:
    group(int members, int port, bool divided, progress& seen)
    {
        for (int i = 0; i < members; ++i) {
            channel line;
            const auto process = fork();
            if (process == 0) {
                line.turn_around();
                be_member(i, port, divided, line, seen);
            }
            members_.emplace_back(process, line);
        }
    }
    /// Waits until this number of versions was seen, and for what is left of the work.
    void wait_for(std::size_t wanted, const progress& seen) const
    {
        const auto pause = [](duration d) {
            std::this_thread::sleep_for(d); // rule aside: no process tells this one of its work
        };
        while (seen.noted() < wanted) {
            pause(1ms);
            for (const auto& [process, line] : members_)
                if (waitpid(process, nullptr, WNOHANG) != 0) throw std::runtime_error("a member has ended");
        }
        pause(100ms);
    }
    [[nodiscard]] double cpu() const
    {
        double all = 0;
        for (const auto& [process, line] : members_) all += cpu_seconds(process);
        return all;
    }
    void end() const
    {
        for (const auto& [process, line] : members_) line.send(true);
        for (const auto& [process, line] : members_) waitpid(process, nullptr, 0);
    }

private:
    std::vector<std::pair<pid_t, channel>> members_;
};

/// In processes of their own, so that no measurement begins with the memory of another.
measured measure(const workload& w, int members, bool divided)
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
    progress seen(w.objects);
    const auto objects = static_cast<std::size_t>(w.objects);
    const group all(members, port, divided, seen);
    all.wait_for(objects, seen);
    measured out{.sync_cpu = all.cpu()};
    for (int version = 1; version <= w.changes; ++version) {
        server.send(version);
        if (!server.receive<bool>()) std::exit(1);
        all.wait_for(objects * static_cast<std::size_t>(version + 1), seen);
    }
    out.cpu = all.cpu();
    all.end();
    out.store_bytes = static_cast<double>(seen.stored());
    server.send(-1);
    waitpid(serving, nullptr, 0);
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
                     .rounds = argument(argc, argv, 4, 5),
                     .rate = argument(argc, argv, 5, 0)};
    if (w.members < 1 || w.objects < 1 || w.changes < 0 || w.rounds < 1 || w.rate < 0) return 1;
    std::vector<measured> one, whole, divided;
    for (int round = 0; round < w.rounds; ++round) {
        one.push_back(measure(w, 1, false));
        whole.push_back(measure(w, w.members, false));
        divided.push_back(measure(w, w.members, true));
    }
    std::printf("%d objects, %d changes each, medians of %d\n", w.objects, w.changes, w.rounds);
    print("whole", 1, median(one), median(one));
    print("whole", w.members, median(whole), median(one));
    print("divided", w.members, median(divided), median(one));
    return 0;
}
