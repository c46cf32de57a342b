// Informers under threads: readers, handlers that join and leave, indexes added at run time, continual faults.

#include "busy_source.hpp"
#include "impatient.hpp"

#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/eventually.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <random>
#include <thread>

namespace asio = boost::asio;
using namespace std::chrono_literals;
using kubecoro::object;
using kubecoro::result;
using kubecoro::untyped::pod;
using stress::await;
using stress::impatient;

namespace {

/// The state that one handler or reader derives, by name and uid. Counts errors. The lock is for the test's access
/// only: calls of one handler never overlap, which `inside` checks.
struct belief
{
    std::mutex mutex;
    std::map<std::string, std::string> told;
    std::atomic<int> wrong{0};
    std::atomic<int> inside{0};

    void add(const kubecoro::object& o)
    {
        std::lock_guard lock(mutex);
        if (!told.emplace(o.name(), o.uid()).second) ++wrong;
    }
    void remove(const kubecoro::object& o)
    {
        std::lock_guard lock(mutex);
        const auto at = told.find(std::string(o.name()));
        if (at == told.end() || at->second != o.uid())
            ++wrong;
        else
            told.erase(at);
    }
    bool is(const std::map<std::string, std::string>& expected)
    {
        std::lock_guard lock(mutex);
        return told == expected;
    }

    void enter() { wrong += inside.exchange(1); }
    void leave() { inside = 0; }

    kubecoro::event_handler<object> handler(bool slow)
    {
        const auto pause = [slow]() -> asio::awaitable<void> {
            if (slow) co_await asio::post(asio::use_awaitable);
        };
        return {.on_add = [this, pause](kubecoro::added<object> e) -> asio::awaitable<void> {
                    enter();
                    co_await pause();
                    add(e.obj);
                    leave();
                },
                .on_update =
                    [this](const kubecoro::updated<object>& e) {
                        enter();
                        const auto at = told.find(std::string(e.after.name()));
                        if (at == told.end() || at->second != e.after.uid()) ++wrong;
                        leave();
                    },
                .on_delete =
                    [this](const kubecoro::deleted<object>& e) {
                        enter();
                        remove(e.obj);
                        leave();
                    }};
    }
};

asio::awaitable<result<>> pull(kubecoro::shared_informer<object> pods, std::shared_ptr<belief> believes)
{
    auto events = pods.subscribe({.max_pending = 16});
    for (;;) {
        const auto batch = co_await events.pop();
        if (!batch) co_return result<>{};
        for (const auto& n : *batch) {
            if (n.index() == 0) believes->add(kubecoro::object_of(n));
            if (n.index() == 2) believes->remove(kubecoro::object_of(n));
        }
    }
}

void read_everything(const kubecoro::shared_informer<object>& pods)
{
    const auto l = pods.lister();
    std::map<std::string, int> seen;
    int doubled = 0;
    for (const auto& o : l.list()) doubled += seen[std::string(o.name())]++;
    if (doubled != 0) throw std::runtime_error("an object was listed twice");
    std::map<std::string, int> shown;
    l.for_each([&](const kubecoro::object& o) {
        doubled += shown[std::string(o.name())]++;
        // From within the iteration, for an object that may have left the store.
        if (const auto now = l.get(o.key()); now && now.name() != o.name()) ++doubled;
    });
    if (doubled != 0) throw std::runtime_error("an object was shown twice, or get() returned another one");
    for (const auto& ns : l.namespaces())
        for (const auto& o : l.list_in(ns))
            if (o.ns() != ns) throw std::runtime_error("an object of another namespace");
    for (const auto& value : l.index_values("app"))
        for (const auto& o : l.by_index("app", value))
            if (o.labels()["app"].as_string() != value) throw std::runtime_error("an object under a wrong value");
    static_cast<void>(pods.describe());
    static_cast<void>(pods.stats());
}

} // namespace

TEST_CASE("informers: readers on other threads never see half a relist", "[stress][cache]")
{
    const std::size_t objects = GENERATE(20, 700); // changed in place, or on a copy
    asio::thread_pool pool(2);
    kubecoro::informer_factory informers(
        std::make_shared<stress::one_source>(pool.get_executor(), std::make_shared<stress::relisting_source>(objects)),
        impatient(5));
    auto pods = informers.get<pod>();
    informers.start();
    REQUIRE(await(pool, pods.has_synced()));
    std::atomic<bool> mixed{false};
    std::vector<std::thread> readers;
    for (int r = 0; r < 2; ++r)
        readers.emplace_back([&] {
            while (pods.stats().reflector.lists < 60) {
                const auto all = pods.lister().list();
                if (all.size() != objects) mixed = true;
                for (const auto& o : all)
                    if (o.resource_version() != all.front().resource_version()) mixed = true;
                std::size_t shown = 0;
                object kept;
                pods.lister().for_each([&](const object& o) {
                    if (shown++ == 0) kept = o;
                    if (o.resource_version() != kept.resource_version()) mixed = true;
                });
                if (shown != objects) mixed = true;
            }
        });
    for (auto& r : readers) r.join();
    CHECK_FALSE(mixed);
    REQUIRE(await(pool, informers.stop()));
}

TEST_CASE("informers: readers, joiners and leavers on several threads, and all agree in the end", "[stress][cache]")
{
    auto truth = std::make_shared<stress::server>();
    truth->batches_left = 4000;
    asio::thread_pool pool(4);
    kubecoro::informer_factory informers(
        std::make_shared<stress::one_source>(pool.get_executor(), std::make_shared<stress::busy_source>(truth)),
        impatient(5));
    auto pods = informers.get<pod>();
    belief steady;
    belief slow;
    auto first = pods.add_event_handler(steady.handler(false));
    auto second = pods.add_event_handler(slow.handler(true), {.max_pending = 8});
    const auto pulled = std::make_shared<belief>();
    auto pulling = asio::co_spawn(pool, pull(pods, pulled), asio::use_future);
    informers.start();
    REQUIRE(await(pool, informers.has_synced()));

    const auto busy = [&truth] {
        std::lock_guard lock(truth->mutex);
        return truth->batches_left > 0;
    };
    std::atomic<int> wrong{0};
    std::vector<std::thread> others;
    for (int t = 0; t < 2; ++t)
        others.emplace_back([&] {
            try {
                while (busy()) read_everything(pods);
            } catch (const std::exception&) {
                ++wrong;
            }
        });
    others.emplace_back([&] {
        while (busy()) {
            belief passing;
            auto joined = pods.add_event_handler(passing.handler(true));
            if (!await(pool, joined.has_synced())) ++wrong;
            if (!await(pool, joined.removed())) ++wrong;
            wrong += passing.wrong;
        }
    });
    REQUIRE(pods.add_index("app", [](const kubecoro::object& o, auto out) { out(o.labels()["app"].as_string()); }));
    for (auto& t : others) t.join();
    CHECK(wrong == 0);

    std::map<std::string, std::string> expected;
    for (const auto& [name, o] : truth->objects) expected.emplace(name, o.uid());
    CHECK(kubecoro::test::eventually([&] { return pods.last_resource_version() == std::to_string(truth->version); }));
    CHECK(kubecoro::test::eventually([&] { return steady.is(expected); }));
    CHECK(kubecoro::test::eventually([&] { return slow.is(expected); }));
    CHECK(kubecoro::test::eventually([&] { return pulled->is(expected); }));
    const auto stats = pods.stats();
    REQUIRE(await(pool, informers.stop()));
    pulling.get();

    std::map<std::string, std::string> stored;
    for (const auto& o : pods.lister().list()) stored.emplace(o.name(), o.uid());
    CHECK(stored == expected);
    CHECK(steady.wrong + slow.wrong + pulled->wrong == 0);
    CHECK(stats.reflector.reconnects > 0);
    CHECK(stats.reflector.relists_total() > 0);
    pool.join();
}

TEST_CASE("informers: namespaces join and leave from several threads while everything changes", "[stress][cache]")
{
    constexpr int namespaces = 8;
    asio::thread_pool pool(4);
    auto provider = std::make_shared<stress::busy_namespaces>(pool.get_executor(), namespaces, 300);
    kubecoro::informer_factory informers(provider, impatient(5));
    auto pods = informers.get<pod>({.namespaces = {"n0"}});
    belief steady;
    belief slow;
    pods.add_event_handler(steady.handler(false));
    pods.add_event_handler(slow.handler(true), {.max_pending = 8});
    informers.start();
    REQUIRE(await(pool, informers.has_synced()));

    std::atomic<int> wrong{0};
    std::vector<std::thread> changers;
    for (unsigned t = 0; t < 2; ++t)
        changers.emplace_back([&, t] {
            std::mt19937_64 random(t + 1);
            for (int i = 0; i < 60; ++i) {
                const std::string ns = "n" + std::to_string(random() % namespaces);
                std::vector<std::string> some;
                for (int n = 0; n < namespaces; ++n)
                    if (random() % 2 == 0) some.push_back("n" + std::to_string(n));
                const auto what = random() % 3;
                const auto done = await(pool, what == 0   ? pods.add_namespace(ns)
                                              : what == 1 ? pods.remove_namespace(ns)
                                                          : pods.set_namespaces(some));
                // The other thread may have removed the namespace that this one waits for.
                if (!done && done.error() != kubecoro::cond::cancelled) ++wrong;
                static_cast<void>(pods.describe());
                static_cast<void>(pods.namespaces());
                for (const auto& o : pods.lister().list_in(ns))
                    if (o.ns() != ns) ++wrong;
            }
        });
    for (auto& t : changers) t.join();
    std::map<std::string, std::string> expected;
    std::vector<std::string> all;
    for (const auto& [ns, s] : provider->servers) all.push_back(ns);
    REQUIRE(await(pool, pods.set_namespaces(all)));
    CHECK(kubecoro::test::eventually([&] {
        return std::all_of(provider->servers.begin(), provider->servers.end(), [](const auto& s) {
            std::lock_guard lock(s.second->mutex);
            return s.second->batches_left == 0;
        });
    }));
    for (const auto& [ns, s] : provider->servers)
        for (const auto& [name, o] : s->objects) expected.emplace(name, o.uid());
    CHECK(kubecoro::test::eventually([&] { return steady.is(expected); }));
    CHECK(kubecoro::test::eventually([&] { return slow.is(expected); }));
    REQUIRE(await(pool, pods.set_namespaces({})));
    CHECK(pods.lister().size() == 0);
    CHECK(kubecoro::test::eventually([&] { return steady.is({}) && slow.is({}); }));
    REQUIRE(await(pool, informers.stop()));
    CHECK(wrong + steady.wrong + slow.wrong == 0);
    pool.join();
}
