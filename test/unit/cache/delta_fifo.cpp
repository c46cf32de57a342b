// Tests of the FIFO between producers and its consumer: room, failures, wake-ups and cancellation.

#include "object_names.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/cache/delta_fifo.hpp>
#include <kubecoro/test/allocations.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>
#include <kubecoro/testing/objects.hpp>

#include <boost/asio/post.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <random>
#include <string>
#include <vector>

namespace asio = boost::asio;
using namespace kubecoro;
namespace kt = kubecoro::testing;

namespace {

using lines = std::vector<std::string>;

object pod(std::string_view name, std::string_view version = "1") { return kt::make_pod("web", name, version); }

std::vector<delta> updates(std::size_t count)
{
    std::vector<delta> out;
    for (std::size_t i = 0; i < count; ++i) {
        const auto n = std::to_string(i);
        out.push_back({.type = delta_type::updated, .obj = pod("p" + n, n)});
    }
    return out;
}

std::string text(const delta& d)
{
    switch (d.type) {
    case delta_type::replaced_all:
        return "list " + std::to_string(d.all->items.size());
    case delta_type::vanished:
        return "vanished";
    case delta_type::sync_all:
        return "sync " + std::to_string(d.target);
    case delta_type::version:
        return "version " + d.resource_version;
    default:
        return cache_test::name_of(d.obj);
    }
}

/// A FIFO whose consumer writes down each batch.
struct consumed
{
    kt::runner run;
    delta_fifo fifo;
    std::size_t scope;
    std::vector<lines> batches;

    explicit consumed(delta_fifo_options options = {}) : fifo(options), scope(fifo.add_scope()) {}

    delta_fifo::processor processor()
    {
        return [this](std::vector<delta>& batch) -> result<> {
            lines seen;
            for (const auto& d : batch) seen.push_back(text(d));
            batches.push_back(std::move(seen));
            return {};
        };
    }
    /// Processes one batch; returns what pop() returned.
    result<> pop() { return run.run(fifo.pop(processor())); }
    std::vector<lines> take() { return std::exchange(batches, {}); }
    void push_some(std::size_t count, std::string version) { fifo.push(scope, updates(count), std::move(version)); }
};

} // namespace

TEST_CASE("delta fifo driver: a waiting consumer is woken once for everything that was pushed", "[cache][delta_fifo]")
{
    consumed f;
    auto popping = f.run.spawn(f.fifo.pop(f.processor()));
    f.run.run_until_idle();
    CHECK_FALSE(popping.done());
    f.fifo.push(f.scope, {{.type = delta_type::added, .obj = pod("a")}}, "1");
    f.fifo.push(f.scope, {{.type = delta_type::updated, .obj = pod("a", "2")}}, "2");
    CHECK(f.fifo.size() == 4);
    f.run.run_until_idle();
    CHECK(popping.done());
    CHECK(f.take() == std::vector<lines>{{"web/a@1", "version 1", "web/a@2", "version 2"}});
    CHECK(f.fifo.size() == 0);
}

TEST_CASE("delta fifo driver: lists, syncs and a vanished resource come alone, in the order of the pushes",
          "[cache][delta_fifo]")
{
    consumed f;
    f.push_some(1, "1");
    f.fifo.replace(f.scope, {pod("a"), pod("b")}, "2");
    f.fifo.sync(7);
    f.fifo.vanish(f.scope);
    CHECK_FALSE(f.fifo.synced());
    for (int i = 0; i < 4; ++i) REQUIRE(f.pop());
    CHECK(f.take() == std::vector<lines>{{"web/p0@0", "version 1"}, {"list 2"}, {"sync 7"}, {"vanished"}});
    CHECK(f.fifo.synced());
}

TEST_CASE("delta fifo driver: a producer is held back while the FIFO is full", "[cache][delta_fifo]")
{
    consumed f({.max_pending = 4, .max_batch = 2});
    f.push_some(2, "1");
    CHECK(f.fifo.has_room(f.scope));
    REQUIRE(f.run.run(f.fifo.room(f.scope)));
    f.push_some(2, "2"); // a push never fails, however full
    CHECK(f.fifo.size() == 6);
    CHECK_FALSE(f.fifo.has_room(f.scope));
    auto held = f.run.spawn(f.fifo.room(f.scope));
    auto other = f.run.spawn(f.fifo.room(f.fifo.add_scope()));
    f.run.run_until_idle();
    REQUIRE(f.pop());
    f.run.run_until_idle();
    CHECK_FALSE(held.done()); // four still wait
    REQUIRE(f.pop());
    f.run.run_until_idle();
    CHECK(held.done());
    CHECK(other.done());
    CHECK(held.outcome().has_value());
    CHECK(f.take() == std::vector<lines>{{"web/p0@0", "web/p1@1"}, {"version 1", "web/p0@0"}});
}

TEST_CASE("delta fifo driver: a list holds back its own producer only", "[cache][delta_fifo]")
{
    consumed f;
    const auto other = f.fifo.add_scope();
    const bool vanishes = GENERATE(false, true);
    if (vanishes)
        f.fifo.vanish(f.scope);
    else
        f.fifo.replace(f.scope, {}, "1");
    CHECK_FALSE(f.fifo.has_room(f.scope));
    CHECK(f.fifo.has_room(other));
    auto held = f.run.spawn(f.fifo.room(f.scope));
    f.run.run_until_idle();
    CHECK_FALSE(held.done());
    REQUIRE(f.pop());
    f.run.run_until_idle();
    CHECK(held.done());
}

TEST_CASE("delta fifo driver: large objects fill it by their bytes", "[cache][delta_fifo]")
{
    consumed f({.max_pending_bytes = 4096});
    const auto large = object::parse(R"({"kind":"Pod","metadata":{"name":"a","namespace":"web"},"text":")" +
                                     std::string(5000, 'x') + "\"}");
    REQUIRE(large);
    f.push_some(1, "1");
    CHECK(f.fifo.has_room(f.scope));
    f.fifo.push(f.scope, {{.type = delta_type::added, .obj = *large}}, "2");
    CHECK_FALSE(f.fifo.has_room(f.scope));
    REQUIRE(f.pop());
    CHECK(f.fifo.has_room(f.scope));
}

TEST_CASE("delta fifo driver: a batch that fails comes again", "[cache][delta_fifo]")
{
    kt::runner run;
    delta_fifo fifo;
    const auto scope = fifo.add_scope();
    fifo.push(scope, {{.type = delta_type::added, .obj = pod("a")}, {.type = delta_type::added, .obj = pod("b")}}, "2");
    std::vector<lines> seen;
    int attempt = 0;
    const auto pop = [&] {
        return run.run(fifo.pop([&](std::vector<delta>& batch) -> result<> {
            lines now;
            for (const auto& d : batch) now.push_back(text(d));
            seen.push_back(std::move(now));
            switch (++attempt) {
            case 1:
                throw std::bad_alloc();
            case 2:
                batch.erase(batch.begin()); // what was done need not come again
                return failure(cond::internal, "not yet");
            default:
                return {};
            }
        }));
    };
    CHECK(pop().error() == cond::internal);
    fifo.push(scope, {{.type = delta_type::added, .obj = pod("c")}}, "3"); // overtakes nothing
    CHECK(fifo.size() == 5);
    CHECK(pop().error().message() == "not yet");
    CHECK(pop());
    CHECK(fifo.size() == 2);
    CHECK(pop());
    CHECK(fifo.size() == 0);
    CHECK(seen == std::vector<lines>{{"web/a@1", "web/b@1", "version 2"},
                                     {"web/a@1", "web/b@1", "version 2"},
                                     {"web/b@1", "version 2"},
                                     {"web/c@1", "version 3"}});
}

TEST_CASE("delta fifo driver: a batch is processed once, even if there is no memory to wake its producer",
          "[cache][delta_fifo]")
{
    bool failed = true;
    for (std::uint64_t nth = 1; failed; ++nth) {
        REQUIRE(nth < 20);
        consumed f({.max_pending = 4, .max_batch = 10});
        f.push_some(5, "1");
        auto held = f.run.spawn(f.fifo.room(f.scope));
        f.run.run_until_idle();
        const auto popped = f.run.run(f.fifo.pop([&](std::vector<delta>&) -> result<> {
            test::fail_allocation(nth);
            return {};
        }));
        test::fail_allocation(0);
        failed = !popped.has_value();
        f.push_some(1, "2");
        REQUIRE(f.pop());
        CHECK(f.take() == std::vector<lines>{{"web/p0@0", "version 2"}});
        CHECK(f.fifo.size() == 0);
        f.fifo.close();
        f.run.run_until_idle();
    }
}

TEST_CASE("delta fifo driver: a list that fails does not count as processed", "[cache][delta_fifo]")
{
    kt::runner run;
    delta_fifo fifo;
    const auto scope = fifo.add_scope();
    fifo.replace(scope, {pod("a")}, "2");
    CHECK_FALSE(run.run(fifo.pop([](std::vector<delta>&) -> result<> { return failure(cond::internal, "no"); })));
    CHECK_FALSE(fifo.synced());
    CHECK_FALSE(fifo.has_room(scope));
    bool initial = false;
    CHECK(run.run(fifo.pop([&](std::vector<delta>& batch) -> result<> {
        initial = batch.front().all->initial;
        return {};
    })));
    CHECK(initial);
    CHECK(fifo.synced());
    CHECK(fifo.has_room(scope));
}

TEST_CASE("delta fifo driver: removing a scope drops what waits", "[cache][delta_fifo]")
{
    consumed f;
    const auto gone = f.fifo.add_scope();
    f.fifo.replace(gone, {pod("x")}, "1");
    CHECK_FALSE(f.run.run(f.fifo.pop([](std::vector<delta>&) -> result<> { return failure(cond::internal, "no"); })));
    f.fifo.push(gone, {{.type = delta_type::added, .obj = pod("y")}}, "2");
    f.push_some(1, "3");
    f.fifo.remove_scope(gone); // with its batch in hand
    f.fifo.push(gone, {{.type = delta_type::added, .obj = pod("z")}}, "4");
    f.fifo.replace(gone, {}, "5");
    CHECK(f.fifo.has_room(gone));
    REQUIRE(f.pop());
    CHECK(f.take() == std::vector<lines>{{"web/p0@0", "version 3"}});
    CHECK(f.fifo.size() == 0);
    CHECK(f.fifo.has_room(gone));
    f.fifo.replace(f.scope, {}, "6");
    REQUIRE(f.pop());
    CHECK(f.fifo.synced());
}

TEST_CASE("delta fifo driver: close ends every wait", "[cache][delta_fifo]")
{
    consumed f({.max_pending = 1});
    auto popping = f.run.spawn(f.fifo.pop(f.processor()));
    f.run.run_until_idle();
    f.fifo.close();
    f.run.run_until_idle();
    REQUIRE(popping.done());
    CHECK(popping.outcome().error() == cond::cancelled);
    CHECK(f.pop().error() == cond::cancelled);
    f.push_some(3, "1");
    CHECK(f.fifo.size() == 0);
    CHECK(f.run.run(f.fifo.room(f.scope)).error() == cond::cancelled);
    consumed full({.max_pending = 1});
    full.push_some(1, "1");
    auto held = full.run.spawn(full.fifo.room(full.scope));
    full.run.run_until_idle();
    full.fifo.close();
    full.run.run_until_idle();
    REQUIRE(held.done());
    CHECK(held.outcome().error() == cond::cancelled);
}

TEST_CASE("delta fifo driver: a cancelled wait loses nothing", "[cache][delta_fifo]")
{
    const auto how = GENERATE(asio::cancellation_type::terminal, asio::cancellation_type::partial);
    consumed f({.max_pending = 1});
    auto popping = f.run.spawn(f.fifo.pop(f.processor()));
    f.run.run_until_idle();
    popping.cancel(how);
    f.run.run_until_idle();
    REQUIRE(popping.done());
    CHECK(popping.outcome().error() == cond::cancelled);
    f.push_some(1, "1");
    auto held = f.run.spawn(f.fifo.room(f.scope));
    f.run.run_until_idle();
    held.cancel(how);
    f.run.run_until_idle();
    REQUIRE(held.done());
    CHECK(held.outcome().error() == cond::cancelled);
    REQUIRE(f.pop());
    CHECK(f.take() == std::vector<lines>{{"web/p0@0", "version 1"}});
    REQUIRE(f.run.run(f.fifo.room(f.scope)));
}

TEST_CASE("delta fifo driver: a busy consumer lets other work run", "[cache][delta_fifo]")
{
    consumed f({.max_batch = 10});
    const auto until_ten = [&]() -> asio::awaitable<result<>> {
        while (f.batches.size() < 10) {
            const auto popped = co_await f.fifo.pop(f.processor());
            if (!popped) co_return popped;
        }
        co_return result<>{};
    };
    f.push_some(99, "1");
    auto consuming = f.run.spawn(until_ten());
    std::size_t seen = 10;
    asio::post(f.run.executor(), [&] { seen = f.batches.size(); });
    f.run.run_until_idle();
    CHECK(consuming.done());
    CHECK(seen < 10);
}

TEST_CASE("delta fifo driver: pending keys count from the push to the start of their processing", "[cache][delta_fifo]")
{
    consumed f;
    CHECK_FALSE(f.fifo.has_pending({"web", "p0"}));
    f.push_some(1, "1");
    CHECK(f.fifo.has_pending({"web", "p0"}));
    CHECK(f.fifo.to_show({pod("p0"), pod("a")}).size() == 1);
    REQUIRE(f.pop());
    CHECK_FALSE(f.fifo.has_pending({"web", "p0"}));
    CHECK(f.fifo.to_show({pod("p0"), pod("a")}).size() == 2);
}

TEST_CASE("delta fifo driver: the keys of a batch that failed are pending", "[cache][delta_fifo]")
{
    consumed f;
    f.push_some(1, "1");
    CHECK_FALSE(f.run.run(f.fifo.pop([](std::vector<delta>&) -> result<> { return failure(cond::internal, "no"); })));
    CHECK(f.fifo.has_pending({"web", "p0"}));
    CHECK(f.fifo.to_show({pod("p0"), pod("a")}).size() == 1);
}

TEST_CASE("delta fifo driver: of several resyncs of a handler one waits", "[cache][delta_fifo]")
{
    consumed f;
    for (int i = 0; i < 3; ++i) f.fifo.sync(7);
    f.fifo.sync(8);
    CHECK(f.fifo.size() == 2);
    REQUIRE(f.pop());
    f.fifo.sync(7);
    REQUIRE(f.pop());
    REQUIRE(f.pop());
    CHECK(f.take() == std::vector<lines>{{"sync 7"}, {"sync 8"}, {"sync 7"}});
}

TEST_CASE("delta fifo driver: a processor may remove the scope of its batch", "[cache][delta_fifo]")
{
    consumed f;
    const auto other = f.fifo.add_scope();
    f.push_some(2, "1");
    f.fifo.push(other, updates(1), "2");
    CHECK_FALSE(f.run.run(f.fifo.pop([&](std::vector<delta>& batch) -> result<> {
        f.fifo.remove_scope(f.scope);
        return batch.size() == 5 ? failure(cond::internal, "no") : result<>{};
    })));
    REQUIRE(f.pop());
    CHECK(f.take() == std::vector<lines>{{"web/p0@0", "version 2"}});
    CHECK(f.fifo.size() == 0);
}

TEST_CASE("delta fifo driver: limits of 0 are none", "[cache][delta_fifo]")
{
    consumed f({.max_pending = 0, .max_pending_bytes = 0, .max_batch = 0});
    CHECK(f.fifo.has_room(f.scope));
    f.push_some(5000, "1");
    CHECK(f.fifo.has_room(f.scope));
    REQUIRE(f.pop());
    CHECK(f.take().front().size() == 1);
}

TEST_CASE("delta fifo driver: a cancelled consumer processes nothing more", "[cache][delta_fifo]")
{
    consumed f;
    const auto how = GENERATE(asio::cancellation_type::terminal, asio::cancellation_type::partial);
    auto popping = f.run.spawn(f.fifo.pop(f.processor()));
    f.run.run_until_idle();
    f.push_some(1, "1"); // its wake-up is on the way
    popping.cancel(how);
    f.run.run_until_idle();
    REQUIRE(popping.done());
    CHECK(popping.outcome().has_value() == (f.batches.size() == 1));
    if (f.batches.empty()) REQUIRE(f.pop());
    CHECK(f.take() == std::vector<lines>{{"web/p0@0", "version 1"}});
}

TEST_CASE("delta fifo driver: repeated deletions free their room", "[cache][delta_fifo]")
{
    consumed f;
    f.fifo.push(f.scope,
                {{.type = delta_type::deleted, .obj = pod("a")}, {.type = delta_type::deleted, .obj = pod("a")}}, "1");
    CHECK(f.fifo.size() == 3);
    REQUIRE(f.pop());
    CHECK(f.take() == std::vector<lines>{{"web/a@1", "version 1"}});
    CHECK(f.fifo.size() == 0);
}

TEST_CASE("delta fifo driver: random pushes, failures, cancellations and removals lose nothing and keep the order",
          "[cache][delta_fifo][model]")
{
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        INFO("seed " << seed);
        std::mt19937_64 random(seed);
        const auto draw = [&random](std::uint64_t n) { return random() % n; };
        kt::runner run(seed, kt::ready_order::shuffled);
        delta_fifo fifo({.max_pending = 1 + draw(20), .max_batch = 1 + draw(6)});
        const std::size_t scopes[]{fifo.add_scope(), fifo.add_scope(), fifo.add_scope()};
        std::array<lines, 3> pushed;
        std::array<lines, 3> processed;
        const auto process = [&](std::vector<delta>& batch) -> result<> {
            const auto done = static_cast<std::ptrdiff_t>(draw(3) == 0 ? draw(batch.size()) : batch.size());
            for (auto at = batch.begin(); at != batch.begin() + done; ++at) processed[at->scope].push_back(text(*at));
            const bool all = static_cast<std::size_t>(done) == batch.size();
            batch.erase(batch.begin(), batch.begin() + done);
            return all ? result<>{} : failure(cond::internal, "later");
        };
        const auto consume = [&]() -> asio::awaitable<result<>> {
            for (;;) {
                const auto popped = co_await fifo.pop(process);
                if (!popped && popped.error() == cond::cancelled) co_return popped;
            }
        };
        const auto produce = [&](std::size_t scope, std::uint64_t steps) -> asio::awaitable<result<>> {
            for (std::uint64_t i = 1; i <= steps; ++i) {
                const auto version = std::to_string(scope * 1000 + i);
                if (draw(6) == 0) {
                    pushed[scope].push_back("list 1");
                    fifo.replace(scope, {pod("a", version)}, version);
                } else {
                    pushed[scope].push_back("web/a@" + version);
                    pushed[scope].push_back("version " + version);
                    fifo.push(scope, {{.type = delta_type::updated, .obj = pod("a", version)}}, version);
                }
                const auto freed = co_await fifo.room(scope);
                if (!freed) co_return freed;
            }
            co_return result<>{};
        };
        std::vector<kt::task<void>> producers;
        for (const auto s : scopes) producers.push_back(run.spawn(produce(s, 5 + draw(20))));
        const bool removes = draw(2) == 0;
        for (int i = 0; i < 6; ++i) {
            auto consumer = run.spawn(consume());
            run.step(draw(30));
            consumer.cancel();
            run.run_until_idle();
            REQUIRE(consumer.done());
            if (i == 3 && removes) {
                fifo.remove_scope(scopes[2]);
                producers[2].cancel();
            }
        }
        auto consumer = run.spawn(consume());
        run.run_until_idle();
        for (const auto& p : producers) REQUIRE(p.done());
        fifo.close();
        run.run_until_idle();
        REQUIRE(consumer.done());
        REQUIRE(fifo.size() == 0);
        CHECK(processed[0] == pushed[0]);
        CHECK(processed[1] == pushed[1]);
        if (!removes) CHECK(processed[2] == pushed[2]);
        // The removed scope was processed up to its removal.
        REQUIRE(processed[2].size() <= pushed[2].size());
        CHECK(std::equal(processed[2].begin(), processed[2].end(), pushed[2].begin()));
    }
}
