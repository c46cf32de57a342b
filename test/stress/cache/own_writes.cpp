// Waits for versions, label queries and own writes on several threads, while the store changes and connections break.

#include "busy_source.hpp"
#include "impatient.hpp"

#include <kubecoro/api/resource.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/cache/mutation_cache.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>

#include <atomic>
#include <iterator>
#include <thread>

namespace asio = boost::asio;
using namespace std::chrono_literals;
using kubecoro::object;
using kubecoro::untyped::pod;
using stress::await;
using stress::impatient;

namespace {

bool busy(stress::server& truth)
{
    std::lock_guard lock(truth.mutex);
    return truth.batches_left > 0;
}

/// The answer to a write: the current state of a random object of the server, or null.
object some_write(stress::server& truth)
{
    std::lock_guard lock(truth.mutex);
    if (truth.objects.empty()) return {};
    return std::next(truth.objects.begin(), static_cast<std::ptrdiff_t>(truth.random() % truth.objects.size()))->second;
}

} // namespace

TEST_CASE("own writes: waiters, readers by label and a mutation cache on several threads", "[stress][cache]")
{
    auto truth = std::make_shared<stress::server>();
    truth->batches_left = 3000;
    truth->keys = 600;
    asio::thread_pool pool(4);
    kubecoro::informer_factory informers(
        std::make_shared<stress::one_source>(pool.get_executor(), std::make_shared<stress::busy_source>(truth)),
        impatient(9));
    auto pods = informers.get<pod>();
    informers.start();
    REQUIRE(await(pool, pods.has_synced()));

    const auto lister = pods.lister();
    const kubecoro::mutation_cache seen(lister);
    const auto is_behind = [](const object& shown, const object& written) {
        return shown && !kubecoro::is_at_least(shown.resource_version(), written.resource_version());
    };
    std::atomic<int> wrong{0};
    std::vector<std::thread> others;
    for (int t = 0; t < 2; ++t)
        others.emplace_back([&] {
            while (busy(*truth)) {
                const object written = some_write(*truth);
                if (!written) continue;
                const std::string version(written.resource_version());
                const auto got = await(pool, lister.get_after(kubecoro::object_key(written.key()), version));
                if (!got || is_behind(*got, written)) ++wrong;
                if (!lister.reached(version) && !*got) ++wrong;
            }
        });
    others.emplace_back([&] {
        const auto selector = kubecoro::label_selector::parse("app in (a1,a2),app!=a2").value();
        while (busy(*truth))
            for (const auto& o : lister.list(selector))
                if (o.labels()["app"].as_string() != "a1") ++wrong;
    });
    others.emplace_back([&] {
        while (busy(*truth)) {
            const object written = some_write(*truth);
            if (!written) continue;
            seen.written(written);
            if (is_behind(seen.get(written.key()), written)) ++wrong;
            static_cast<void>(seen.list());
        }
    });
    for (auto& t : others) t.join();
    CHECK(wrong == 0);
    CHECK(await(pool, pods.wait_until(std::to_string(truth->version))));
    std::size_t a1 = 0;
    for (const auto& [name, o] : truth->objects)
        if (o.labels()["app"].as_string() == "a1") ++a1;
    CHECK(lister.list(kubecoro::label_selector::parse("app=a1").value()).size() == a1);
    CHECK(pods.stats().indexed_labels == std::vector<std::string>{"app"});

    auto never = asio::co_spawn(pool, pods.wait_until("99999999"), asio::use_future);
    REQUIRE(await(pool, informers.stop()));
    CHECK(never.get().error() == kubecoro::cond::cancelled);
    pool.join();
}
