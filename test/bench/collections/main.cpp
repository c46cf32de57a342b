// The cost of live queries: policies that select pods, pods by node, a relist. One thread; beside the peers, interleaved.
#include <kubecoro/api/untyped.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/collections/derive.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>
#include <kubecoro/testing/objects.hpp>
#include <kubecoro/testing/scripted_source.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace kt = kubecoro::testing;
using kubecoro::object;
using kubecoro::untyped::config_map;
using kubecoro::untyped::node;
using kubecoro::untyped::pod;

double cpu_seconds()
{
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

/// Informers over scripted sources, and collections, on this thread.
struct world
{
    kt::runner run;
    std::shared_ptr<kt::scripted_provider> provider =
        std::make_shared<kt::scripted_provider>(run.executor(), run.shared_clock());
    kubecoro::informer_factory informers{provider, {.time = run.shared_clock()}};
    kubecoro::live_queries live{run.executor()};
    kt::scripted_watch watch;

    ~world()
    {
        (void)run.run(live.stop());
        (void)run.run(informers.stop());
    }
    kt::scripted_source& source(const kubecoro::resource_type& r)
    {
        return *provider->source(r, {.ns = {}, .label_selector = {}, .field_selector = {}, .decode = {}});
    }
    kt::scripted_watch list(const kubecoro::resource_type& r, std::vector<object> all, const std::string& version)
    {
        source(r).on_list(kt::make_page(std::move(all), version));
        return source(r).on_watch();
    }
};

object make_pod(std::size_t i, std::size_t app, std::size_t on, std::size_t version)
{
    return kt::make_object({.ns = "web",
                            .name = "pod-of-a-deployment-" + std::to_string(i),
                            .resource_version = std::to_string(version),
                            .labels = {{"app", "app-" + std::to_string(app)}, {"tier", "backend"}},
                            .members = R"("spec":{"nodeName":"node-)" + std::to_string(on) + "\"}"});
}

struct selected
{
    std::size_t pods = 0;
    std::string newest = {};
    friend bool operator==(const selected&, const selected&) = default;
};

/// The figures of a subject.
struct figures
{
    /// CPU of an event beyond that of the informers; until the derived event, but for one in a hundred; and at first, for a pod or node.
    double event_us = 0;
    double p99_us = 0;
    double first_us = 0;
    double relist_ms = 0;
    double computed = 0;
};

/// A pod's event, from the watch to a handler of the derived collection, beside the same informer without collections.
double event_cost(bool derives, std::size_t policies, std::size_t pods, double& p99_us)
{
    world w;
    auto all_policies = w.informers.get<config_map>();
    auto all_pods = w.informers.get<pod>();
    std::vector<object> list;
    for (std::size_t i = 0; i < policies; ++i)
        list.push_back(kt::make_object({.kind = "ConfigMap",
                                        .ns = "web",
                                        .name = "policy-" + std::to_string(i),
                                        .resource_version = "1",
                                        .labels = {{"selects", "app-" + std::to_string(i)}}}));
    w.list(config_map::resource(), std::move(list), "1");
    list.clear();
    for (std::size_t i = 0; i < pods; ++i) list.push_back(make_pod(i, i % policies, i % 100, 1));
    w.watch = w.list(pod::resource(), std::move(list), "1");
    std::size_t seen = 0;
    if (derives) {
        const auto result = kubecoro::derive<selected>(w.live, all_policies, [all_pods](const object& p, auto& look) {
            const auto which =
                kubecoro::label_selector::parse("tier=backend,app=" + std::string(p.labels()["selects"].as_string()));
            selected out;
            for (const auto& each : look.by_selector(all_pods, which.value())) {
                ++out.pods;
                if (each.resource_version() > out.newest) out.newest = each.resource_version();
            }
            return out;
        });
        result.add_event_handler([&seen](const kubecoro::collection_change<selected>&) { ++seen; });
        w.informers.start();
        (void)w.run.run(result.has_synced());
    } else {
        w.informers.start();
        (void)w.run.run(w.informers.has_synced());
    }
    w.run.run_until_idle();
    seen = 0;
    constexpr std::size_t events = 5000;
    std::vector<object> changed;
    for (std::size_t i = 0; i < events; ++i)
        changed.push_back(make_pod(i * 7 % pods, i * 7 % pods % policies, i % 100, 100000 + i));
    std::vector<double> times;
    const auto begun = cpu_seconds();
    for (auto& o : changed) {
        const auto at = std::chrono::steady_clock::now();
        w.watch.send(kt::modified(std::move(o)));
        w.run.run_until_idle();
        times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - at).count());
    }
    std::sort(times.begin(), times.end());
    p99_us = times[times.size() * 99 / 100];
    const auto took = (cpu_seconds() - begun) / events * 1e6;
    if (derives && seen < events) std::printf("only %zu of %zu events were seen\n", seen, events);
    return took;
}

struct load
{
    std::size_t pods = 0;
    std::size_t length = 0;
    friend bool operator==(const load&, const load&) = default;
};

void pods_by_node(std::size_t nodes, std::size_t pods, figures& out)
{
    world w;
    auto all_nodes = w.informers.get<node>();
    auto all_pods = w.informers.get<pod>();
    (void)all_pods.add_index("node", [](const object& o) {
        return std::vector<std::string>{std::string(o["spec"]["nodeName"].as_string())};
    });
    std::vector<object> list;
    for (std::size_t i = 0; i < nodes; ++i)
        list.push_back(kt::make_object({.kind = "Node", .name = "node-" + std::to_string(i), .resource_version = "1"}));
    w.list(node::resource(), std::move(list), "1");
    list.clear();
    for (std::size_t i = 0; i < pods; ++i) list.push_back(make_pod(i, i % 500, i * 31 % nodes, 1));
    std::sort(list.begin(), list.end(), [](const object& a, const object& b) { return a.name() < b.name(); });
    w.watch = w.list(pod::resource(), list, "1");
    w.informers.start();
    (void)w.run.run(w.informers.has_synced());
    w.run.run_until_idle();
    std::size_t computed = 0;
    const auto loads = kubecoro::derive<load>(w.live, all_nodes, [all_pods, &computed](const object& n, auto& look) {
        ++computed;
        load out;
        for (const auto& p : look.by_index(all_pods, "node", n.name())) {
            ++out.pods;
            out.length += p.resource_version().size();
        }
        return out;
    });
    const auto begun = cpu_seconds();
    (void)w.run.run(loads.has_synced());
    out.first_us = (cpu_seconds() - begun) * 1e6 / static_cast<double>(pods + nodes);
    const auto s = w.live.stats();
    if (static_cast<double>(s.edge_bytes) > 48 * static_cast<double>(s.edges)) std::printf("edges of > 48 bytes\n");

    computed = 0;
    for (auto& o : list) {
        const auto number = std::stoull(std::string(o.name()).substr(o.name().rfind('-') + 1));
        if (static_cast<std::uint32_t>(number * 2654435761U) / 65536 % 100 == 0)
            o = make_pod(number, number % 500, number * 31 % nodes, 200000 + number);
    }
    const auto relisted = cpu_seconds();
    w.watch.fail(kt::server_failure(410, "Expired"));
    w.list(pod::resource(), list, "900000");
    (void)w.run.run(all_pods.wait_until("900000"));
    w.run.run_until_idle();
    out.relist_ms = (cpu_seconds() - relisted) * 1e3;
    out.computed = static_cast<double>(computed);
}

figures measure()
{
    figures out;
    double p99_bare = 0;
    const auto bare = event_cost(false, 500, 10000, p99_bare);
    out.event_us = event_cost(true, 500, 10000, out.p99_us) - bare;
    pods_by_node(5000, 100000, out);
    return out;
}

/// Runs a peer. Returns nothing if it cannot be run.
std::optional<figures> measure(const std::string& command)
{
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen((command + " 2>/dev/null").c_str(), "r"), pclose);
    figures f;
    if (!pipe || std::fscanf(pipe.get(), "%lf %lf %lf %lf %lf", &f.event_us, &f.p99_us, &f.first_us, &f.relist_ms,
                             &f.computed) != 5)
        return std::nullopt;
    return f;
}

} // namespace

/// usage: kubecoro_bench_collections [FOLDER OF PEERS [ROUNDS]]
int main(int argc, char** argv)
{
    const std::string peer = argc > 1 ? std::string(argv[1]) + "/go_collections " : std::string();
    const auto rounds = argc > 2 ? std::stoul(argv[2]) : 3UL;
    std::map<std::string, std::vector<figures>> all;
    for (std::size_t r = 0; r != rounds; ++r) {
        all["kubecoro"].push_back(measure());
        for (const std::string name : {"client-go", "krt"})
            if (const auto f = peer.empty() ? std::nullopt : measure(peer + name)) all[name].push_back(*f);
    }
    std::printf("                          kubecoro  client-go        krt       goal\n");
    const auto row = [&all](const char* text, double figures::*field, const char* goal) {
        std::printf("%-24s", text);
        for (const std::string name : {"kubecoro", "client-go", "krt"}) {
            std::vector<double> values;
            for (const auto& f : all[name]) values.push_back(f.*field);
            std::sort(values.begin(), values.end());
            if (values.empty())
                std::printf("%11s", "-");
            else
                std::printf("%11.1f", values[values.size() / 2]);
        }
        std::printf("%11s\n", goal);
    };
    row("event, CPU us", &figures::event_us, "20");
    row("event, p99 us", &figures::p99_us, "1000");
    row("first, CPU us a pod", &figures::first_us, "1");
    row("relist of 1 %, CPU ms", &figures::relist_ms, "");
    row("results computed by it", &figures::computed, "");
}
