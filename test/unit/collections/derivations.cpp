// Collections over informers.
#include "live_fixture.hpp"

#include <stdexcept>

namespace {

using namespace collections_test;
using kubecoro::collection;
using kubecoro::cond;

struct fixture : live_fixture
{
    std::vector<std::string> seen = {};
    lines take() { return std::exchange(seen, {}); }

    template<class T>
    std::function<void()> write(const collection<T>& c)
    {
        return c.add_event_handler([this](const kubecoro::collection_change<T>& e) {
            seen.push_back((e.initial     ? "initial "
                            : e.added()   ? "added "
                            : e.deleted() ? "deleted "
                                          : "updated ") +
                           e.key);
        });
    }
    void start_with_two_pods()
    {
        list_nodes({"n1", "n2"});
        list_pods({pod("a", "n1"), pod("b", "n2")});
        start();
    }
};

} // namespace

TEST_CASE_METHOD(fixture, "a collection follows its informers", "[collections]")
{
    const auto loads = this->loads({.name = "loads"});
    write(loads);
    CHECK_FALSE(loads.synced());
    start_with_two_pods();
    REQUIRE(run.run(loads.has_synced()));
    run.run_until_idle();
    CHECK(texts(loads) == lines{"n1: a", "n2: b"});
    CHECK(take() == lines{"initial n1", "initial n2"});

    pods_watch.send(kt::added(pod("c", "n1")));
    run.run_until_idle();
    CHECK(texts(loads) == lines{"n1: a c", "n2: b"});
    CHECK(take() == lines{"updated n1"});
    CHECK(text_of(*loads.get("n1")) == "n1: a c");
    CHECK(loads.get("n3") == nullptr);

    pods_watch.send(kt::modified(pod("c", "n1")));
    run.run_until_idle();
    CHECK(take().empty());
    nodes_watch.send(kt::added(kt::make_object({.kind = "Node", .name = "n3", .resource_version = "60"})));
    nodes_watch.send(kt::deleted(kt::make_object({.kind = "Node", .name = "n1", .resource_version = "61"})));
    run.run_until_idle();
    CHECK(texts(loads) == lines{"n2: b", "n3:"});
    auto news = take();
    std::sort(news.begin(), news.end());
    CHECK(news == lines{"added n3", "deleted n1"});
    const auto stats = live->stats();
    REQUIRE(stats.collections.size() == 3);
    CHECK(stats.edges == 2);
    CHECK(live->describe().find("loads: 2 elements from nodes pods") != std::string::npos);
}

TEST_CASE_METHOD(fixture, "a list is applied as a whole, and readers never see half of it", "[collections]")
{
    list_nodes({"n"});
    std::vector<object> first, second;
    for (int i = 0; i < 2000; ++i) first.push_back(pod("p" + std::to_string(i), i % 2 ? "n" : "other"));
    for (int i = 0; i < 2000; ++i) second.push_back(pod("p" + std::to_string(i), i % 2 ? "other" : "n"));
    list_pods(first);
    std::vector<std::size_t> sizes;
    const auto both = kubecoro::derive<std::pair<std::size_t, std::size_t>>(
        *live, nodes, [&, pods = pods](const object&, auto& look) {
            const std::pair out(look.by_index(pods, "node", "n").size(), look.by_index(pods, "node", "other").size());
            sizes.push_back(out.first + out.second);
            return out;
        });
    start();
    REQUIRE(run.run(both.has_synced()));
    pods_watch.fail(kt::server_failure(410, "Expired"));
    list_pods(second, "5000");
    REQUIRE(run.run(pods.wait_until("5000")));
    run.run_until_idle();
    CHECK(both.get("n")->first == 1000);
    CHECK(sizes == std::vector<std::size_t>{2000, 2000});
}

TEST_CASE_METHOD(fixture, "collections derive from collections", "[collections]")
{
    const auto loads = this->loads();
    const auto busy = kubecoro::filter(*live, loads, [](const node_load& l) { return l.pods.size() > 1; });
    const auto by_pod = kubecoro::flat_map<std::string>(*live, loads, [](const node_load& l) {
        std::map<std::string, std::string> out;
        for (const auto& p : l.pods) out[p] = p + "@" + l.node;
        return out;
    });
    const auto groups = kubecoro::group_by<std::string>(
        *live, pods, [](const object& p) { return std::string(p["spec"]["nodeName"].as_string()); },
        [](const std::string& node, const std::vector<object>& of) { return node + "=" + std::to_string(of.size()); });
    const auto running = kubecoro::filter(*live, pods, [](const object& o) { return o.name() != "b"; });
    const auto named =
        kubecoro::join(*live, by_pod, groups, [](const std::string& a, const std::string& b) { return a + b; });
    start_with_two_pods();
    REQUIRE(run.run(live->has_synced()));
    CHECK(texts(busy).empty());
    CHECK(texts(by_pod) == lines{"a@n1", "b@n2"});
    CHECK(texts(groups) == lines{"n1=1", "n2=1"});
    CHECK(texts(running) == lines{"a"});
    CHECK(texts(named) == lines{"a@n1", "b@n2", "n1=1", "n2=1"});
    pods_watch.send(kt::modified(pod("b", "n1")));
    run.run_until_idle();
    CHECK(texts(busy) == lines{"n1: a b"});
    CHECK(texts(by_pod) == lines{"a@n1", "b@n1"});
    CHECK(texts(groups) == lines{"n1=2"});
    pods_watch.send(kt::deleted(pod("a", "n1")));
    pods_watch.send(kt::deleted(pod("b", "n1")));
    run.run_until_idle();
    CHECK(texts(groups).empty());
    CHECK(texts(named).empty());
}

TEST_CASE_METHOD(fixture, "indexes and labels of derived elements", "[collections]")
{
    const auto loads =
        this->loads({.indexes = {{"pod", [](const node_load& l) { return l.pods; }}}, .labels = [](const node_load& l) {
                         return std::map<std::string, std::string>{{"busy", l.pods.size() > 1 ? "yes" : "no"}};
                     }});
    const auto node_of = kubecoro::derive<std::string>(*live, pods, [loads](const object& p, auto& look) {
        std::string out(p.name());
        for (const auto& l : look.by_index(loads, "pod", p.name())) out += " on " + l->node;
        for (const auto& l : look.by_selector(loads, kubecoro::label_selector::parse("busy=yes").value()))
            out += ", busy: " + l->node;
        if (const auto first = look.by_key(loads, "n1")) out += ", n1: " + std::to_string(first->pods.size());
        return out;
    });
    start_with_two_pods();
    REQUIRE(run.run(node_of.has_synced()));
    CHECK(texts(node_of) == lines{"a on n1, n1: 1", "b on n2, n1: 1"});
    pods_watch.send(kt::modified(pod("b", "n1")));
    run.run_until_idle();
    CHECK(texts(node_of) == lines{"a on n1, busy: n1, n1: 2", "b on n1, busy: n1, n1: 2"});
    CHECK(loads.by_index("pod", "b").size() == 1);
    CHECK(loads.by_index("nothing", "b").empty());
    CHECK(loads.list(kubecoro::label_selector::parse("busy=yes").value()).size() == 1);
}

TEST_CASE_METHOD(fixture, "readers find elements by indexes that no computation reads", "[collections]")
{
    const auto loads = this->loads({.indexes = {{"pod", [](const node_load& l) { return l.pods; }}}});
    const auto all = live->of(pods);
    start_with_two_pods();
    REQUIRE(run.run(live->has_synced()));
    const auto nodes_of = [](const kubecoro::collection<node_load>& of, const std::string& pod) {
        lines out;
        for (const auto& l : of.by_index("pod", pod)) out.push_back(l->node);
        return out;
    };
    CHECK(nodes_of(loads, "b") == lines{"n2"});
    const auto before = run.run(live->snapshot({}, loads, all));
    pods_watch.send(kt::modified(pod("b", "n1")));
    run.run_until_idle();
    CHECK(nodes_of(loads, "a") == lines{"n1"});
    CHECK(nodes_of(loads, "b") == lines{"n1"});
    CHECK(nodes_of(std::get<0>(*before), "b") == lines{"n2"});
    CHECK(all.by_index("node", "n1").size() == 2);
    CHECK(std::get<1>(*before).by_index("node", "n1").size() == 1);
    CHECK(all.by_index("nothing", "n1").empty());
    nodes_watch.send(kt::deleted(kt::make_object({.kind = "Node", .name = "n1", .resource_version = "61"})));
    run.run_until_idle();
    CHECK(nodes_of(loads, "b").empty());
}

TEST_CASE_METHOD(fixture, "has_synced fails with the cause of the input that cannot sync", "[collections]")
{
    const auto loads = this->loads();
    list_nodes({"n"});
    source(untyped::pod::resource()).on_list(kt::server_failure(403, "Forbidden", "no pods for you"));
    informers->start();
    const auto synced = run.run(loads.has_synced());
    REQUIRE_FALSE(synced);
    CHECK(synced.error() == cond::forbidden);
    CHECK(synced.error().describe().find("pods") != std::string::npos);
    list_pods({pod("a", "n")});
    run.advance(2min);
    CHECK(run.run(loads.has_synced()));
}

TEST_CASE_METHOD(fixture, "a function that throws leaves the last result, and a line in the log", "[collections]")
{
    const auto loads = kubecoro::derive<std::string>(*live, pods,
                                                     [](const object& p) -> std::optional<std::string> {
                                                         if (p["spec"]["nodeName"].as_string() == "bad")
                                                             throw std::runtime_error("a bad node");
                                                         return std::string(p["spec"]["nodeName"].as_string());
                                                     },
                                                     {.name = "nodes of pods"});
    list_pods({pod("a", "n1")});
    start();
    REQUIRE(run.run(loads.has_synced()));
    pods_watch.send(kt::modified(pod("a", "bad")));
    run.run_until_idle();
    CHECK(texts(loads) == lines{"n1"});
    REQUIRE(loads.stale().size() == 1);
    CHECK(loads.stale()[0].first == "web/a");
    CHECK(log.count("a result could not be computed; the last one is kept") == 1);
    pods_watch.send(kt::modified(pod("a", "n2")));
    run.run_until_idle();
    CHECK(texts(loads) == lines{"n2"});
    CHECK(loads.stale().empty());
}

TEST_CASE_METHOD(fixture, "wait_for, subscriptions and versions", "[collections]")
{
    const auto loads = this->loads();
    auto events = loads.subscribe(1);
    start_with_two_pods();
    auto first = run.run([&]() -> boost::asio::awaitable<kubecoro::result<std::string>> {
        auto batch = co_await events.pop();
        co_return batch->front().key;
    }());
    CHECK(*first == "n1");
    auto wait = run.spawn(loads.wait_for(
        "n1", [](const auto& l) { return l && l->pods.size() == 2; }, 10s));
    auto gone = run.spawn(loads.wait_for("n9", [](const auto& l) { return !l; }));
    auto late = run.spawn(loads.wait_for(
        "n2", [](const auto& l) { return !l; }, 1s));
    run.run_until_idle();
    CHECK(gone.done());
    CHECK_FALSE(wait.done());
    pods_watch.send(kt::added(pod("c", "n1")));
    run.run_until_idle();
    REQUIRE(wait.done());
    CHECK(text_of(**wait.outcome()) == "n1: a c");
    run.advance(2s);
    REQUIRE(late.done());
    CHECK(late.outcome().error() == cond::timed_out);
    const auto versions = loads.versions();
    REQUIRE(versions.size() == 2);
    CHECK(versions[0] == std::pair<std::string, std::string>("nodes", "50"));
    CHECK(versions[1] == std::pair<std::string, std::string>("pods", std::to_string(version)));
}

TEST_CASE_METHOD(fixture, "a snapshot shows one state, and waits for the versions that the caller names",
                 "[collections]")
{
    const auto loads = this->loads();
    const auto all = live->of(pods);
    start_with_two_pods();
    REQUIRE(run.run(live->has_synced()));
    const auto next = std::to_string(version + 1);
    auto snapshot = run.spawn(live->snapshot({{pods, next}}, loads, all));
    run.run_until_idle();
    CHECK_FALSE(snapshot.done());
    pods_watch.send(kt::added(pod("c", "n1")));
    run.run_until_idle();
    REQUIRE(snapshot.done());
    const auto [then, pods_then] = *snapshot.outcome();
    pods_watch.send(kt::added(pod("d", "n1")));
    run.run_until_idle();
    CHECK(texts(then) == lines{"n1: a c", "n2: b"});
    CHECK(texts(pods_then) == lines{"a", "b", "c"});
    CHECK(texts(loads) == lines{"n1: a c d", "n2: b"});
    CHECK(then.versions()[1].second == next);
    CHECK_FALSE(run.run(live->snapshot({}, then)));
}

TEST_CASE_METHOD(fixture, "a handler may derive and read; one that is removed gets nothing more", "[collections]")
{
    const auto loads = this->loads();
    std::optional<collection<std::string>> names;
    loads.add_event_handler([&](const kubecoro::collection_change<node_load>& c) {
        if (!names)
            names = kubecoro::derive<std::string>(*live, loads, [](const node_load& l) { return l.node + "!"; });
        seen.push_back(c.key + " of " + std::to_string(loads.size()));
    });
    const auto remove = loads.add_event_handler(
        [&](const kubecoro::collection_change<node_load>& c) -> boost::asio::awaitable<kubecoro::result<>> {
            seen.push_back("coroutine " + c.key);
            co_return kubecoro::failure(cond::internal, "no");
        });
    start_with_two_pods();
    REQUIRE(run.run(loads.has_synced()));
    run.run_until_idle();
    auto news = take();
    std::sort(news.begin(), news.end());
    CHECK(news == lines{"coroutine n1", "coroutine n2", "n1 of 2", "n2 of 2"});
    CHECK(log.count("a handler of a collection failed") == 2);
    REQUIRE(names);
    CHECK(texts(*names) == lines{"n1!", "n2!"});
    remove();
    pods_watch.send(kt::added(pod("c", "n1")));
    run.run_until_idle();
    CHECK(take() == lines{"n1 of 2"});
}

TEST_CASE_METHOD(fixture, "the end: of live_queries, and of an input", "[collections]")
{
    const auto loads = this->loads();
    auto events = loads.subscribe();
    const auto drain = [&]() -> boost::asio::awaitable<kubecoro::result<>> {
        while (auto batch = co_await events.pop()) {
        }
        co_return events.end_reason();
    };
    auto reading = run.spawn(drain());
    auto wait = run.spawn(loads.wait_for("n1", [](const auto& l) { return !l; }));
    SECTION("before the sync")
    {
        auto synced = run.spawn(loads.has_synced());
        run.run_until_idle();
        REQUIRE(run.run(live->stop()));
        run.run_until_idle();
        REQUIRE(synced.done());
        CHECK(synced.outcome().error() == cond::cancelled);
    }
    SECTION("after it")
    {
        start_with_two_pods();
        REQUIRE(run.run(loads.has_synced()));
        SECTION("of an input: the last state stays")
        {
            REQUIRE(run.run(informers->stop()));
            run.run_until_idle();
            CHECK(texts(loads) == lines{"n1: a", "n2: b"});
            CHECK_FALSE(reading.done());
        }
        REQUIRE(run.run(live->stop()));
        run.run_until_idle();
        CHECK(texts(loads) == lines{"n1: a", "n2: b"});
    }
    REQUIRE(reading.done());
    CHECK(reading.outcome().error() == cond::cancelled);
    REQUIRE(wait.done());
    CHECK(wait.outcome().error() == cond::cancelled);
    const auto late = this->loads();
    CHECK(run.run(late.has_synced()).error() == cond::cancelled);
    live.reset();
    CHECK(loads.size() <= 2);
    auto after = loads.subscribe();
    const auto more = run.run([&]() -> boost::asio::awaitable<kubecoro::result<bool>> {
        const auto batch = co_await after.pop();
        co_return batch.has_value();
    }());
    CHECK_FALSE(more.value());
}

TEST_CASE_METHOD(fixture, "collections of another live_queries cannot be read", "[collections]")
{
    kubecoro::live_queries other(run.executor(), {.time = run.shared_clock()});
    const auto foreign =
        kubecoro::derive<std::string>(other, pods, [](const object& p) { return std::string(p.name()); });
    const auto mixed = kubecoro::derive<std::string>(
        *live, pods, [foreign](const object& p, auto& look) { return *look.by_key(foreign, p.key()); });
    CHECK_THROWS_AS(kubecoro::filter(*live, foreign, [](const std::string&) { return true; }), kubecoro::error);
    list_pods({pod("a", "n1")});
    start();
    REQUIRE(run.run(mixed.has_synced()));
    REQUIRE(mixed.stale().size() == 1);
    CHECK(mixed.stale()[0].second == cond::misconfigured);
    CHECK(run.run(other.stop()));
}

TEST_CASE_METHOD(fixture, "collections: the number of ways to an input does not count", "[collections]")
{
    // Each step reads the two before: there are more ways than can be walked.
    std::vector<kubecoro::collection<std::string>> steps;
    steps.push_back(kubecoro::derive<std::string>(*live, pods, [](const object& p) { return std::string(p.name()); }));
    steps.push_back(steps.front());
    for (int i = 0; i != 90; ++i)
        steps.push_back(kubecoro::derive<std::string>(
            *live, steps.back(), [before = *(steps.end() - 2)](const std::string& name, auto& look) {
                return look.by_key(before, "web/" + name) ? name : "missing";
            }));
    list_pods({pod("a", "n1")});
    start();
    REQUIRE(run.run(steps.back().has_synced()));
    CHECK(texts(steps.back()) == lines{"a"});
    CHECK(steps.back().versions().size() == 1);
}
