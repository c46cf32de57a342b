// Waiting coroutines: woken, cancelled, destroyed.
#include "queue_fixture.hpp"

#include <kubecoro/testing/every_step.hpp>
#include <kubecoro/testing/recording.hpp>

using namespace kubecoro::test;
using kubecoro::cond;
using kubecoro::result;
namespace kt = kubecoro::testing;

TEST_CASE("workqueue: one waiting worker is woken per key", "[workqueue][workers]")
{
    queue_fixture f;
    const auto one = f.run.spawn(f.queue.get());
    const auto two = f.run.spawn(f.queue.get());
    const auto three = f.run.spawn(f.queue.get());
    f.settle();
    CHECK(f.queue.stats().waiting_workers == 3);
    f.queue.add("a");
    CHECK(f.queue.stats().waiting_workers == 2);
    CHECK_FALSE(one.done()); // never resumed inside the call
    f.settle();
    CHECK(one.done());
    CHECK_FALSE(two.done());
    f.queue.add_batch(list{"b", "c", "d", "e"});
    CHECK(f.queue.stats().waiting_workers == 0);
    f.settle();
    REQUIRE(three.done());
    CHECK(three.outcome()->key() == "c");
    CHECK(f.queue.len() == 2);
}

TEST_CASE("workqueue: a woken worker that cannot continue passes the wake-up on", "[workqueue][workers]")
{
    queue_fixture f;
    const auto first = f.run.spawn(f.queue.get());
    const auto second = f.run.spawn(f.queue.get());
    f.settle();
    f.queue.add("a");
    first.cancel();
    f.settle();
    REQUIRE(first.done());
    if (first.outcome()) { // the key came before the cancellation
        CHECK_FALSE(second.done());
        first.outcome()->done();
        f.queue.add("b");
        f.settle();
    }
    REQUIRE(second.done());
    REQUIRE(second.outcome());
    second.outcome()->done();
}

TEST_CASE("workqueue: a wake-up that coincides with a yield and a cancellation reaches the next worker",
          "[workqueue][workers]")
{
    // The number of keys handed out in a row determines when a worker yields: each number is tried once.
    for (int before = 0; before < 140; ++before) {
        CAPTURE(before);
        queue_fixture f;
        for (int n = 0; n < before; ++n) {
            f.queue.add("before");
            auto item = f.run.run(f.queue.get());
            REQUIRE(item);
            item->done();
        }
        const auto first = f.run.spawn(f.queue.get());
        const auto second = f.run.spawn(f.queue.get());
        f.settle();
        first.cancel(); // takes effect with the next handler, when the wake-up is under way
        f.queue.add("a");
        f.settle();
        REQUIRE(first.done());
        if (first.outcome()) {
            first.outcome()->done();
            continue;
        }
        REQUIRE(second.done());
        REQUIRE(second.outcome());
        CHECK(second.outcome()->key() == "a");
        second.outcome()->done();
    }
}

TEST_CASE("workqueue: a batch contains the ready keys, up to a maximum", "[workqueue][workers]")
{
    queue_fixture f;
    const auto waiting = f.run.spawn(f.queue.get_batch(10));
    f.settle();
    f.queue.add_batch(list{"a", "b", "c"});
    f.settle();
    REQUIRE(waiting.done());
    CHECK(waiting.outcome()->size() == 3);
    for (auto& item : *waiting.outcome()) item.succeeded();
    f.queue.add_batch(list{"a", "b", "c"});
    auto two = f.run.run(f.queue.get_batch(2));
    REQUIRE(two);
    CHECK(two->size() == 2);
    auto one = f.run.run(f.queue.get_batch(0));
    REQUIRE(one);
    CHECK(one->size() == 1);
    CHECK(f.queue.len() == 0);
    f.queue.shut_down();
    CHECK(f.run.run(f.queue.get_batch(2)).error() == cond::cancelled);
}

TEST_CASE("workqueue: a busy worker lets other handlers on its executor run", "[workqueue][workers]")
{
    queue_fixture f;
    for (int n = 0; n < 1000; ++n) f.queue.add(std::to_string(n));
    list mine;
    list theirs;
    const auto one = f.run.spawn(work(f.queue, mine));
    const auto two = f.run.spawn(work(f.queue, theirs));
    f.settle();
    CHECK(mine.size() + theirs.size() == 1000);
    CHECK(mine.size() > 200);
    CHECK(theirs.size() > 200);
}

namespace {

/// A queue, two workers of each kind, and what they took. The queue is created outside the coroutines.
struct world
{
    explicit world(kt::runner& r) : clock(r.shared_clock()), queue(r.executor(), queue_fixture::on_clock(r, {})) {}

    std::shared_ptr<kubecoro::time_source> clock;
    names queue;
    list seen;

    asio::awaitable<result<>> live()
    {
        queue.add("a");
        queue.add_after("b", 1s);
        queue.add_after("c", 500ms);
        for (int n = 0; n < 4; ++n) {
            auto item = co_await queue.get();
            if (!item) co_return item.error();
            seen.push_back(item->key());
            if (n == 0) queue.add_batch(list{"a", "d"}, 3);
            if (n == 1) {
                item->retry();
                continue;
            }
            item->succeeded();
        }
        auto rest = co_await queue.get_batch(5);
        if (!rest) co_return rest.error();
        for (auto& item : *rest) item.done();
        co_return co_await queue.shut_down_with_drain();
    }
};

} // namespace

TEST_CASE("workqueue: a worker cancelled at any step ends, and no key is lost", "[workqueue][every_step]")
{
    std::shared_ptr<world> last;
    const auto attempts = kt::cancel_after_every_step(
        [&last](kt::runner& r) {
            last = std::make_shared<world>(r);
            return kt::scenario{.body = last->live(), .fixture = last};
        },
        [&last](const result<>& outcome) {
            if (!outcome) CHECK(outcome.error() == cond::cancelled);
            CHECK(last->queue.stats().processing == 0);
            CHECK(last->queue.stats().waiting_workers == 0);
        });
    REQUIRE(attempts);
    CHECK(*attempts > 4);
}

TEST_CASE("workqueue: destroyed at any step, nothing is left behind", "[workqueue][every_step]")
{
    std::shared_ptr<world> last;
    const auto attempts = kt::stop_after_every_step(
        [&last](kt::runner& r) {
            last = std::make_shared<world>(r);
            return kt::scenario{.body = last->live(), .fixture = last};
        },
        [&last] {
            CHECK(last->queue.stats().processing == 0);
            CHECK(last->queue.stats().waiting_workers == 0);
        });
    REQUIRE(attempts);
    CHECK(*attempts > 4);
}

TEST_CASE("workqueue: the context may be destroyed first, with workers and a timer in it", "[workqueue][workers]")
{
    auto run = std::make_unique<kt::runner>();
    names queue(run->executor(), queue_fixture::on_clock(*run, {}));
    run->spawn(queue.get());
    run->spawn(queue.get());
    queue.add_after("a", 1s);
    run->run_until_idle();
    run->destroy_coroutines();
    CHECK(queue.stats().waiting_workers == 0);
    queue.add("b");
    queue.add_after("a", 1ms);
    run.reset();
    queue.add("c");
    CHECK(queue.len() == 2);
}

TEST_CASE("workqueue: client-go's metrics, under their original names (Metrics)", "[workqueue][metrics]")
{
    const auto sink = std::make_shared<kt::recording_metrics>();
    queue_fixture f({.name = "pods", .limiter = kubecoro::exponential_limiter(1ms, 1s), .metrics = sink});
    const kubecoro::metric_labels labels{{"name", "pods"}};
    const auto value = [&](const char* name) { return sink->value(std::string("workqueue_") + name, labels); };
    f.queue.add("foo");
    f.queue.add("foo");
    CHECK(value("adds_total") == 1);
    CHECK(value("depth") == 1);
    f.run.advance(50us);
    auto foo = f.take();
    CHECK(value("depth") == 0);
    CHECK(value("queue_duration_seconds") == Approx(50e-6));
    f.queue.add("foo"); // while processed: counts as an add
    CHECK(value("adds_total") == 2);
    CHECK(value("depth") == 1);
    f.run.advance(25us);
    foo.done();
    CHECK(value("work_duration_seconds") == Approx(25e-6));
    CHECK(value("depth") == 1);
    foo = f.take();
    CHECK(value("queue_duration_seconds") == Approx(75e-6));
    f.run.advance(500ms);
    CHECK(value("unfinished_work_seconds") == Approx(0.5).margin(1e-3));
    CHECK(value("longest_running_processor_seconds") == Approx(0.5).margin(1e-3));
    auto bar = f.take_new("bar");
    f.run.advance(1s);
    CHECK(value("unfinished_work_seconds") == Approx(2.5).margin(1e-3));
    CHECK(value("longest_running_processor_seconds") == Approx(1.5).margin(1e-3));
    foo.retry();
    bar.again_after(1s);
    f.queue.add_after("x", 1h);
    CHECK(value("retries_total") == 3);
    f.run.advance(500ms);
    CHECK(value("unfinished_work_seconds") == 0);
    CHECK(value("longest_running_processor_seconds") == 0);
    CHECK(value("depth") == 1);
    CHECK(sink->names().size() == 8); // and the age of the oldest key
}

TEST_CASE("workqueue: nothing is measured after a shutdown (MetricShutdown)", "[workqueue][metrics]")
{
    const auto sink = std::make_shared<kt::recording_metrics>();
    queue_fixture f({.name = "pods", .metrics = sink});
    auto foo = f.take_new("foo");
    f.run.advance(500ms);
    const auto before = sink->updates("workqueue_unfinished_work_seconds");
    CHECK(before == 1);
    f.queue.shut_down();
    f.run.advance(10s);
    CHECK(sink->updates("workqueue_unfinished_work_seconds") == before);
    CHECK(f.run.clock().waiting() == 0);
    foo.done();
    queue_fixture unnamed({.metrics = sink});
    unnamed.queue.add("a");
    CHECK(unnamed.take_all() == list{"a"});
    CHECK(sink->value("workqueue_adds_total") == 1);
}
