// Priorities together with delays, limits and metrics: the rules of controller-runtime's priority queue.
#include "queue_fixture.hpp"

#include <kubecoro/controller/rate_limiter.hpp>
#include <kubecoro/testing/recording.hpp>

#include <array>
#include <set>

using namespace kubecoro::test;
using kubecoro::duration;
namespace kt = kubecoro::testing;
namespace priority = kubecoro::priority;

namespace {

/// A queue that is measured, without ageing.
struct measured
{
    std::shared_ptr<kt::recording_metrics> sink = std::make_shared<kt::recording_metrics>();
    queue_fixture f{{.name = "q",
                     .limiter = kubecoro::exponential_limiter(5ms, std::chrono::seconds{1000}),
                     .ageing = 0,
                     .metrics = sink}};

    [[nodiscard]] double depth() const { return value("depth"); }
    [[nodiscard]] double adds() const { return value("adds_total"); }
    [[nodiscard]] double retries() const { return value("retries_total"); }
    /// Takes the only ready key.
    void take_only(const std::string& key)
    {
        CHECK(f.take_all() == list{key});
        CHECK(depth() == 0);
    }

private:
    [[nodiscard]] double value(const char* name) const
    {
        return sink->value(std::string("workqueue_") + name, {{"name", "q"}});
    }
};

} // namespace

TEST_CASE("workqueue: of a thousand keys of each priority the higher ones come first, whether they were delayed or not",
          "[workqueue][priority]")
{
    constexpr int keys = 1'000;
    constexpr std::array priorities{10, -10, 0, 5, -5};
    for (const auto after : {-1s, 0s, 1s}) {
        measured m;
        for (int i = 0; i < keys; ++i)
            for (const int p : priorities) m.f.queue.add_after(std::to_string(p) + "/" + std::to_string(i), after, p);
        m.f.run.advance(1s);
        std::set<std::string> seen;
        for (const int p : {10, 5, 0, -5, -10}) {
            std::size_t in_turn = 0;
            for (int i = 0; i < keys; ++i) {
                auto item = m.f.take();
                in_turn += item.priority() == p ? 1 : 0;
                seen.insert(item.key());
                item.succeeded();
            }
            CHECK(in_turn == keys);
        }
        CHECK(seen.size() == keys * priorities.size());
        CHECK(m.adds() == static_cast<double>(seen.size()));
        CHECK(m.depth() == 0);
    }
}

TEST_CASE("workqueue: a key that becomes ready goes before those of a lower priority that have waited longer",
          "[workqueue][priority]")
{
    measured m;
    m.f.queue.add("foo", priority::low);
    m.f.queue.add_after("prio", 1s);
    CHECK(m.depth() == 1);
    m.f.run.advance(1s);
    CHECK(m.depth() == 2);
    auto first = m.f.take();
    CHECK(first.key() == "prio");
    CHECK(first.priority() == priority::normal);
    CHECK(m.depth() == 1);
    CHECK(m.adds() == 2);
    CHECK(m.retries() == 1);
    first.succeeded();
}

TEST_CASE("workqueue: a key counts as added and as waiting from when it is ready, and once", "[workqueue][priority]")
{
    measured m;
    for (int round = 1; round <= 2; ++round) {
        m.f.queue.add_after("foo", 500ms);
        m.f.queue.add("baz");
        m.f.queue.add_after("bar", 500ms);
        m.f.queue.add("bal");
        CHECK(m.f.queue.len() == 2);
        CHECK(m.depth() == 2);
        m.f.run.advance(1s);
        CHECK(m.f.queue.len() == 4);
        CHECK(m.depth() == 4);
        m.f.queue.add("foo"); // ready already
        CHECK(m.f.queue.len() == 4);
        CHECK(m.depth() == 4);
        CHECK(m.f.take_all().size() == 4);
        CHECK(m.depth() == 0);
        CHECK(m.adds() == 4 * round);
    }
}

TEST_CASE("workqueue: a delayed key that is added without a delay is ready at once, and again when it is due",
          "[workqueue][priority]")
{
    measured m;
    m.f.queue.add_after("foo", 1h, 0);
    CHECK(m.depth() == 0);
    m.f.queue.add("foo", 1);
    CHECK(m.depth() == 1);
    CHECK(m.f.queue.len() == 1);
    auto item = m.f.take();
    CHECK(item.priority() == 1);
    CHECK(m.depth() == 0);
    item.done();
    m.f.run.advance(1h);
    CHECK(m.depth() == 1);
    m.take_only("foo");
    CHECK(m.adds() == 2);
}

TEST_CASE("workqueue: a worker that waits gets a key as soon as it is ready, and none before", "[workqueue][priority]")
{
    measured m;
    const auto waits = m.f.run.spawn(m.f.queue.get());
    m.f.queue.add_after("foo", 1min);
    m.f.run.advance(59s);
    CHECK_FALSE(waits.done());
    m.f.queue.add("foo");
    m.f.settle(); // no time passes
    REQUIRE(waits.done());
    CHECK(waits.outcome()->key() == "foo");
    CHECK(m.depth() == 0);
}

TEST_CASE("workqueue: keys with their own backoff do not affect each other", "[workqueue][priority]")
{
    measured m;
    for (int failures = 0; failures < 7; ++failures) {
        m.f.queue.add_rate_limited("bar");
        m.f.run.advance(1h);
        m.f.take().done(); // its failures stay
    }
    m.f.queue.add_rate_limited("foo");
    m.f.queue.add_rate_limited("bar");
    m.f.run.advance(5ms);
    CHECK(m.f.take_all() == list{"foo"});
    m.f.run.advance(635ms - 1ns);
    CHECK(m.f.queue.len() == 0);
    m.f.run.advance(1ns);
    CHECK(m.f.take_all() == list{"bar"});
    CHECK(m.retries() == 9);
}

TEST_CASE("workqueue: a key that is raised while it waits goes behind the waiting ones of its new priority",
          "[workqueue][priority]")
{
    measured m;
    m.f.queue.add("foo", 0);
    m.f.queue.add("bar", 1);
    m.f.queue.add("foo", 1);
    CHECK(m.f.queue.len() == 2);
    CHECK(m.adds() == 2);
    CHECK(m.f.take_all() == list{"bar", "foo"});
}
