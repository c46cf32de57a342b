// Concurrent handlers, filters, policies and waits under threads.

#include "busy_source.hpp"
#include "impatient.hpp"

#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/eventually.hpp>

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace asio = boost::asio;
using namespace std::chrono_literals;
using kubecoro::object;
using kubecoro::result;
using kubecoro::untyped::pod;
using stress::await;
using stress::impatient;

namespace {

/// Checks that calls for one object do not overlap.
struct crowd
{
    std::mutex mutex;
    std::set<std::string> inside;
    std::map<std::string, std::string> told;
    std::atomic<int> wrong{0};

    template<class Event>
    asio::awaitable<void> hear(Event e)
    {
        const kubecoro::notification<object> n(e);
        const std::string name(kubecoro::object_of(n).name());
        enter(name);
        for (auto turns = name.back() % 3; turns > 0; --turns) co_await asio::post(asio::use_awaitable);
        learn(n, name);
    }
    void enter(const std::string& name)
    {
        std::lock_guard lock(mutex);
        if (!inside.insert(name).second) ++wrong;
    }
    void learn(const kubecoro::notification<object>& n, const std::string& name)
    {
        std::lock_guard lock(mutex);
        inside.erase(name);
        const std::string uid(kubecoro::object_of(n).uid());
        const auto at = told.find(name);
        if ((n.index() == 0) != (at == told.end())) ++wrong;
        if (at != told.end() && at->second != uid) ++wrong;
        if (n.index() == 0) told.emplace(name, uid);
        if (n.index() == 2) told.erase(name);
    }
    bool is(const std::map<std::string, std::string>& expected)
    {
        std::lock_guard lock(mutex);
        return told == expected;
    }
    kubecoro::event_handler<object> handler(std::size_t concurrency)
    {
        const auto f = [this](auto e) { return hear(e); };
        return {.on_add = f, .on_update = f, .on_delete = f, .concurrency = concurrency};
    }
};

bool wanted(const object& o) { return o.labels()["app"].as_string() != "a0"; }

} // namespace

TEST_CASE("handlers: several keys at once, with filters, joining and leaving on several threads, and all converge",
          "[stress][cache]")
{
    auto truth = std::make_shared<stress::server>();
    truth->batches_left = 3000;
    asio::thread_pool pool(4);
    kubecoro::informer_factory informers(
        std::make_shared<stress::one_source>(pool.get_executor(), std::make_shared<stress::busy_source>(truth)),
        impatient(5));
    auto pods = informers.get<pod>();
    crowd all;
    crowd some;
    pods.add_event_handler(all.handler(8), {.max_pending = 16});
    pods.add_event_handler(some.handler(4), {.policy = kubecoro::coalesce::latest_per_key, .filter = wanted});
    informers.start();
    REQUIRE(await(pool, informers.has_synced()));

    const auto busy = [&truth] {
        std::lock_guard lock(truth->mutex);
        return truth->batches_left > 0;
    };
    std::atomic<int> wrong{0};
    std::vector<std::thread> others;
    others.emplace_back([&] {
        while (busy()) {
            crowd passing;
            auto joined = pods.add_event_handler(passing.handler(3));
            if (!await(pool, joined.has_synced())) ++wrong;
            if (!await(pool, joined.removed())) ++wrong;
            wrong += passing.wrong;
        }
    });
    for (int t = 0; t < 2; ++t)
        others.emplace_back([&, t] {
            for (int i = 0; busy(); ++i) {
                const std::string name = "p" + std::to_string((i * 7 + t) % 50);
                const kubecoro::object_key key("n" + std::to_string(name.back() % 3), name);
                const auto until = i % 2 == 0 ? kubecoro::conditions::exists() : kubecoro::conditions::deleted();
                const auto got = await(pool, pods.wait_for(key, until, 20ms));
                if (got && static_cast<bool>(*got) != (i % 2 == 0)) ++wrong;
                if (!got && got.error() != kubecoro::cond::timed_out) ++wrong;
            }
        });
    for (auto& t : others) t.join();
    CHECK(wrong == 0);

    std::map<std::string, std::string> expected;
    std::map<std::string, std::string> matching;
    for (const auto& [name, o] : truth->objects) {
        expected.emplace(name, o.uid());
        if (wanted(o)) matching.emplace(name, o.uid());
    }
    CHECK(kubecoro::test::eventually([&] { return all.is(expected); }));
    CHECK(kubecoro::test::eventually([&] { return some.is(matching); }));
    REQUIRE(await(pool, informers.stop()));
    CHECK(all.wrong + some.wrong == 0);
    pool.join();
}
