// Producers on several threads, and a consumer that fails from time to time.

#include <kubecoro/base/task_group.hpp>
#include <kubecoro/cache/delta_fifo.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/objects.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

namespace asio = boost::asio;
using namespace kubecoro;
namespace kt = kubecoro::testing;

namespace {

constexpr std::size_t producers = 4;
constexpr std::uint64_t pushes = 3000;

asio::awaitable<result<>> produce(delta_fifo fifo, std::size_t scope)
{
    for (std::uint64_t i = 1; i <= pushes; ++i) {
        const auto version = std::to_string(i);
        const object o = kt::make_pod("n" + std::to_string(scope), "p" + std::to_string(i % 7), version);
        if (i % 500 == 0) {
            fifo.replace(scope, {o}, version);
        } else {
            std::vector<delta> changes;
            changes.push_back({.type = delta_type::updated, .obj = o});
            fifo.push(scope, std::move(changes), version);
        }
        if (fifo.has_room(scope)) continue;
        if (const auto freed = co_await fifo.room(scope); !freed) co_return freed;
    }
    co_return result<>{};
}

/// Checks that the versions of each scope arrive in order, without a gap.
struct consumer
{
    delta_fifo fifo{{.max_pending = 50, .max_batch = 20}};
    std::array<std::uint64_t, producers> reached{};
    std::string broken = {};
    std::mt19937_64 random{7};

    result<> process(std::vector<delta>& batch)
    {
        if (random() % 5 == 0) return failure(cond::internal, "later");
        for (const auto& d : batch) {
            if (d.type != delta_type::version && !d.all) continue;
            const auto expected = std::to_string(++reached[d.scope]);
            if (d.resource_version != expected && broken.empty())
                broken = "expected " + expected + ", got " + d.resource_version;
        }
        return {};
    }
    asio::awaitable<result<>> run()
    {
        const auto all = [](std::uint64_t n) { return n == pushes; };
        while (!std::all_of(reached.begin(), reached.end(), all)) {
            const auto popped = co_await fifo.pop([this](std::vector<delta>& batch) { return process(batch); });
            if (!popped && popped.error() == cond::cancelled) co_return popped;
        }
        co_return result<>{};
    }
};

} // namespace

TEST_CASE("delta fifo: producers on several threads lose nothing and keep their order", "[stress][cache]")
{
    asio::thread_pool pool(4);
    consumer c;
    std::vector<std::size_t> scopes;
    for (std::size_t i = 0; i < producers; ++i) scopes.push_back(c.fifo.add_scope());
    task_group running(asio::any_io_executor(asio::make_strand(pool)));
    for (const auto s : scopes) {
        const asio::any_io_executor strand = asio::make_strand(pool);
        running.spawn("producer", strand, produce(c.fifo, s));
    }
    auto consumed = asio::co_spawn(asio::make_strand(pool), c.run(), asio::use_future);
    CHECK(consumed.get());
    auto joined = asio::co_spawn(pool, running.join(), asio::use_future);
    CHECK(joined.get());
    CHECK(running.first_failure());
    CHECK(c.broken.empty());
    CHECK(c.fifo.size() == 0);
    CHECK(c.fifo.synced());
}
