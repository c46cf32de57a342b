// The oldest keys, the longest runs and the largest classes, as an operator sees them.
#include "queue_fixture.hpp"

#include <kubecoro/testing/recording.hpp>

#include <memory>
#include <stdexcept>

using namespace kubecoro::test;
using kubecoro::duration;
using kubecoro::metric_labels;
namespace kt = kubecoro::testing;
namespace priority = kubecoro::priority;

namespace {

/// A queue with metrics, in which the class of a name is its first letter.
struct observed
{
    std::shared_ptr<kt::recording_metrics> sink = std::make_shared<kt::recording_metrics>();
    kt::runner run;
    names queue;

    observed()
        : queue(run.executor(), queue_fixture::on_clock(run, {.name = "q", .metrics = sink}),
                [](const std::string& k) { return k.substr(0, 1); })
    {
    }
    [[nodiscard]] double depth_of_rank(const std::string& rank) const
    {
        return sink->value("kubecoro_workqueue_class_depth", {{"name", "q"}, {"rank", rank}});
    }
};

} // namespace

TEST_CASE("workqueue: the oldest ready key is named, with its age", "[workqueue][observed]")
{
    observed o;
    CHECK_FALSE(o.queue.stats().oldest_age);
    o.queue.add("a", priority::low);
    o.run.advance(2s);
    o.queue.add("b", priority::high);
    o.run.advance(1s);
    CHECK(o.queue.stats().oldest == "a");
    CHECK(o.queue.stats().oldest_age == duration(3s));
    CHECK(o.queue.describe().find("oldest waiting: a for 3 s") != std::string::npos);
    const auto b = o.queue.try_get();
    const auto a = o.queue.try_get();
    CHECK_FALSE(o.queue.stats().oldest_age);
}

TEST_CASE("workqueue: keys of runs in progress are shown with their durations", "[workqueue][observed]")
{
    observed o;
    o.queue.add("a");
    const auto a = o.queue.try_get();
    o.run.advance(2s);
    o.queue.add("b");
    const auto b = o.queue.try_get();
    o.run.advance(1s);
    const auto s = o.queue.stats();
    CHECK(s.in_work == list{"a", "b"});
    CHECK(s.running_for == std::vector<duration>{3s, 1s});
    CHECK(o.queue.describe().find("longest running: a for 3 s, b for 1 s") != std::string::npos);
}

TEST_CASE("workqueue: a queue without metrics takes no times and shows none", "[workqueue][observed]")
{
    queue_fixture f;
    f.queue.add("a");
    f.queue.add("b");
    const auto item = f.take();
    CHECK(f.queue.stats().running_for.empty());
    CHECK_FALSE(f.queue.stats().oldest_age);
}

TEST_CASE("workqueue: the ten classes with the most ready keys are shown", "[workqueue][observed]")
{
    observed o;
    for (char c = 'a'; c <= 'o'; ++c)
        for (char n = 'a'; n <= c; ++n) o.queue.add(std::string{c, n});
    const auto s = o.queue.stats();
    REQUIRE(s.largest_classes.size() == 10);
    CHECK(s.largest_classes[0].name == "o");
    CHECK(s.largest_classes[0].ready == 15);
    CHECK(s.largest_classes[9].name == "f");
    CHECK(s.largest_classes[9].ready == 6);
    CHECK(s.class_lanes == 15);
    CHECK(o.queue.describe().find("most ready keys: o 15, n 14") != std::string::npos);
}

TEST_CASE("workqueue: the keys of a class count over all priorities", "[workqueue][observed]")
{
    observed o;
    for (const char* k : {"a1", "a2", "b1"}) o.queue.add(k, priority::low);
    for (const char* k : {"b2", "b3"}) o.queue.add(k);
    const auto s = o.queue.stats();
    REQUIRE(s.largest_classes.size() == 2);
    CHECK(s.largest_classes[0].name == "b");
    CHECK(s.largest_classes[0].ready == 3);
    CHECK(s.largest_classes[1].ready == 2);
    CHECK(s.class_lanes == 3);
}

TEST_CASE("workqueue: the class of keys whose function throws is shown, too", "[workqueue][observed]")
{
    kt::runner run;
    names queue(run.executor(), {}, [](const std::string&) -> std::string { throw std::runtime_error("no class"); });
    queue.add("a");
    REQUIRE(queue.stats().largest_classes.size() == 1);
    CHECK(queue.stats().largest_classes[0].name == "(unclassified)");
}

TEST_CASE("workqueue: gauges show the age of the oldest key and the depths of classes by rank, also without a worker",
          "[workqueue][observed]")
{
    observed o;
    for (const char* k : {"a1", "a2", "b1"}) o.queue.add(k);
    o.run.advance(500ms);
    CHECK(o.sink->value("kubecoro_workqueue_oldest_key_seconds", {{"name", "q"}}) == 0.5);
    CHECK(o.depth_of_rank("1") == 2);
    CHECK(o.depth_of_rank("2") == 1);
    CHECK(o.depth_of_rank("10") == 0);
    while (auto item = o.queue.try_get()) item->succeeded();
    o.run.advance(500ms);
    CHECK(o.sink->value("kubecoro_workqueue_oldest_key_seconds", {{"name", "q"}}) == 0);
    CHECK(o.depth_of_rank("1") == 0);
    CHECK(o.run.clock().waiting() == 0);
}

TEST_CASE("workqueue: tenants make no time series", "[workqueue][observed]")
{
    observed o;
    const auto before = o.sink->names().size();
    for (int n = 0; n < 1'000; ++n) o.queue.add(std::string(1, static_cast<char>(n % 100)) + std::to_string(n));
    o.run.advance(1s);
    CHECK(o.sink->names().size() == before);
}
