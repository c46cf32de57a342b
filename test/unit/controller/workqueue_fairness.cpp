// Classes of keys that take turns.
#include "queue/fair_lanes.hpp"
#include "queue_fixture.hpp"

#include <kubecoro/test/allocations.hpp>

#include <map>
#include <stdexcept>
#include <utility>

using namespace kubecoro::test;
using kubecoro::by_namespace;
using kubecoro::duration;
using kubecoro::object_key;
using kubecoro::workqueue;
using kubecoro::workqueue_options;
using kubecoro::detail::fair_lanes;
namespace priority = kubecoro::priority;

namespace {

/// A queue in which the class of a name is its first letter.
struct fair_fixture : queue_fixture
{
    explicit fair_fixture(workqueue_options o = {})
    {
        queue = names(run.executor(), on_clock(run, std::move(o)), [](const std::string& k) { return k.substr(0, 1); });
    }
    void flood(char of, int count, int priority = priority::normal)
    {
        for (int n = 0; n < count; ++n) queue.add(of + std::to_string(n), priority);
    }
    /// How many keys are handed out before this one.
    int before(const std::string& key)
    {
        for (int n = 0;; ++n) {
            auto item = take();
            const bool found = item.key() == key;
            item.succeeded();
            if (found) return n;
        }
    }
};

} // namespace

TEST_CASE("workqueue: classes take turns, each in its own order", "[workqueue][fair]")
{
    fair_fixture f;
    for (const char* k : {"a1", "a2", "a3", "b1", "c1", "b2"}) f.queue.add(k);
    CHECK(f.take_all() == list{"a1", "b1", "c1", "a2", "b2", "a3"});
    CHECK(f.queue.stats().keys == 0);
}

TEST_CASE("workqueue: a namespace with many keys does not delay the key of another", "[workqueue][fair]")
{
    kubecoro::testing::runner run;
    workqueue<object_key> queue(run.executor(), {.name = "pods"}, by_namespace);
    for (int n = 0; n < 1'000; ++n) queue.add(object_key("busy", std::to_string(n)));
    queue.add(object_key("quiet", "one"));
    CHECK(queue.try_get()->key().ns == "busy");
    CHECK(queue.try_get()->key().ns == "quiet");
}

TEST_CASE("workqueue: a class is a text or a number", "[workqueue][fair]")
{
    kubecoro::testing::runner run;
    workqueue<int> queue(run.executor(), {}, [](int key) { return key / 100; });
    for (const int key : {101, 102, 103, 201}) queue.add(key);
    std::vector<int> seen;
    while (auto item = queue.try_get()) {
        seen.push_back(item->key());
        item->done();
    }
    CHECK(seen == std::vector<int>{101, 201, 102, 103});
}

TEST_CASE("workqueue: a higher priority goes first whatever the classes are", "[workqueue][fair]")
{
    fair_fixture f({.ageing = 0});
    f.queue.add("a1", priority::low);
    f.queue.add("b1", priority::low);
    for (const char* k : {"a2", "a3"}) f.queue.add(k, priority::high);
    CHECK(f.take_all() == list{"a2", "a3", "a1", "b1"});
}

TEST_CASE("workqueue: ageing serves the classes of lower priorities in turn", "[workqueue][fair]")
{
    fair_fixture f({.ageing = 4});
    f.flood('a', 100, priority::low);
    f.queue.add("b", priority::low);
    f.flood('c', 100);
    // Each turn of the low priority takes four hand-outs, and the busy class has the first.
    CHECK(f.before("b") == 7);
}

TEST_CASE("workqueue: ageing serves several lower priorities in turn, not only that of the oldest key",
          "[workqueue][fair]")
{
    fair_fixture f({.ageing = 2});
    f.flood('a', 100, -50);
    f.queue.add("b", priority::low);
    f.flood('c', 100);
    CHECK(f.before("b") <= 3);
}

TEST_CASE("workqueue: a class gains nothing from keys that come and go", "[workqueue][fair]")
{
    fair_fixture f;
    f.flood('a', 2);
    f.flood('b', 10);
    // A new key of a class that has just been served joins behind the others.
    list seen;
    for (int n = 0; n < 6; ++n) {
        auto item = f.take();
        seen.push_back(item.key().substr(0, 1));
        item.succeeded();
        if (seen.back() == "a") f.queue.add("a" + std::to_string(100 + n));
    }
    CHECK(seen == list{"a", "b", "a", "b", "a", "b"});
}

TEST_CASE("workqueue: a key that is raised joins its class in the higher priority", "[workqueue][fair]")
{
    fair_fixture f({.ageing = 0});
    f.flood('a', 2);
    f.queue.add("b0");
    f.queue.add("a1", priority::high);
    CHECK(f.take_all() == list{"a1", "a0", "b0"});
}

TEST_CASE("workqueue: delayed, retried and dropped keys keep their class", "[workqueue][fair]")
{
    fair_fixture f;
    f.queue.add_after("b0", 1s);
    f.take_new("b1").retry();
    {
        auto dropped = f.take_new("b2");
    }
    f.flood('a', 10);
    f.run.advance(1s);
    CHECK(f.before("b2") == 0);
    CHECK(f.before("b1") == 1);
    CHECK(f.before("b0") == 1);
}

TEST_CASE("workqueue: keys whose class function throws form one class, and are counted", "[workqueue][fair]")
{
    kubecoro::testing::runner run;
    names queue(run.executor(), {}, [](const std::string& k) -> std::string {
        if (k[0] == '?') throw std::runtime_error("no class");
        return k.substr(0, 1);
    });
    for (const char* k : {"?1", "?2", "a1"}) queue.add(k);
    CHECK(queue.stats().unclassified == 2);
    CHECK(queue.try_get()->key() == "?1");
    CHECK(queue.try_get()->key() == "a1");
}

TEST_CASE("workqueue: the class function is called once for a key that the queue holds", "[workqueue][fair]")
{
    kubecoro::testing::runner run;
    const auto calls = std::make_shared<int>(0);
    names queue(run.executor(), {}, [calls](const std::string&) { return ++*calls; });
    for (int n = 0; n < 10; ++n) queue.add("a");
    queue.add_after("a", 1h);
    auto item = queue.try_get();
    REQUIRE(item);
    queue.add("a");
    item->retry();
    CHECK(*calls == 1);
}

TEST_CASE("workqueue: a queue with classes returns its memory with its last key", "[workqueue][fair]")
{
    fair_fixture f;
    const auto at_first = f.queue.stats().bytes;
    names queue(f.run.executor(), {}, [](const std::string& k) { return k; });
    for (int n = 0; n < 10'000; ++n) queue.add(std::to_string(n));
    CHECK(queue.stats().bytes > 10'000 * 50 + at_first);
    while (auto item = queue.try_get()) item->succeeded();
    CHECK(queue.stats().keys == 0);
    CHECK(queue.stats().bytes <= at_first);
}

TEST_CASE("fair lanes: a class for which there is no memory shares the lane of its level", "[workqueue][fair]")
{
    kubecoro::detail::key_entries entries;
    fair_lanes lanes;
    entries.make_room(200);
    lanes.make_room(entries.room());
    const auto enter = [&](kubecoro::detail::key_slot s) { entries.append(lanes.enter(s, 7), s, entries.at(s)); };
    const auto leave = [&] {
        const auto s = lanes.first(7);
        lanes.turn(7);
        entries.unlink(lanes.list_of(s), entries.at(s));
        lanes.left(s);
        return s;
    };
    lanes.classify(0, 1);
    lanes.classify(1, 2);
    lanes.classify(2, 3);
    enter(0);
    for (const kubecoro::detail::key_slot s : {1, 2}) {
        fail_allocation(1);
        enter(s);
        fail_allocation(0);
    }
    CHECK(lanes.active() <= 3);
    std::map<kubecoro::detail::key_slot, int> seen;
    for (int n = 0; n < 3; ++n) ++seen[leave()];
    CHECK(seen == std::map<kubecoro::detail::key_slot, int>{{0, 1}, {1, 1}, {2, 1}});
    CHECK(lanes.empty(7));
    CHECK(lanes.active() == 0);
}

TEST_CASE("fair lanes: lanes are reused", "[workqueue][fair]")
{
    kubecoro::detail::key_entries entries;
    fair_lanes lanes;
    entries.make_room(0);
    lanes.make_room(entries.room());
    const auto bytes = [&](std::uint64_t classes) {
        for (std::uint64_t of = 1; of <= classes; ++of) {
            lanes.classify(0, of);
            entries.append(lanes.enter(0, 7), 0, entries.at(0));
            entries.unlink(lanes.list_of(0), entries.at(0));
            lanes.left(0);
        }
        return lanes.bytes();
    };
    const auto with_one = bytes(1);
    CHECK(bytes(1'000) == with_one);
}
