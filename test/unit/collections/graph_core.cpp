// Scripts for the core of collections: what is computed, and when.
#include "core_fixture.hpp"

#include <kubecoro/test/catch.hpp>

#include <algorithm>
#include <stdexcept>

namespace {

using namespace collections_test;

struct fixture : core_fixture
{
    kd::table_core& nodes = input("nodes");
    kd::table_core& pods = input("pods");
    std::vector<std::string> calls = {};

    lines take()
    {
        auto out = std::exchange(calls, {});
        std::sort(out.begin(), out.end());
        return out;
    }

    /// A collection of nodes with the pods that an index has for them.
    kd::table_core& by_node()
    {
        return rule("by node", {&nodes}, [this](kd::computation& c) {
            calls.emplace_back(c.key);
            std::string text;
            for (const auto& p : graph.read_index(pods, "group", c.key)) text += read(p).text;
            c.results.emplace_back("", item({text}));
        });
    }
};

} // namespace

TEST_CASE_METHOD(fixture, "a change computes exactly the results that have read it", "[collections]")
{
    auto& out = by_node();
    set(nodes, "n1", {"1"});
    set(nodes, "n2", {"2"});
    set(pods, "a", {"a", {}, {"n1"}});
    run();
    CHECK(take() == lines{"n1", "n2"});
    CHECK(content(out) == lines{"n1=a", "n2="});

    SECTION("an element of the set has changed")
    {
        set(pods, "a", {"A", {}, {"n1"}});
        run();
        CHECK(take() == lines{"n1"});
        CHECK(content(out) == lines{"n1=A", "n2="});
    }
    SECTION("an element moves from one set to another")
    {
        set(pods, "a", {"a", {}, {"n2"}});
        run();
        CHECK(take() == lines{"n1", "n2"});
        CHECK(content(out) == lines{"n1=", "n2=a"});
    }
    SECTION("an element that nothing has read")
    {
        set(pods, "z", {"z", {}, {"n9"}});
        run();
        CHECK(take().empty());
    }
    SECTION("an equal element is no change")
    {
        set(pods, "a", {"a", {}, {"n1"}});
        run();
        CHECK(take().empty());
    }
    SECTION("several changes of one batch compute a result once, from all of them")
    {
        set(pods, "b", {"b", {}, {"n1"}});
        set(pods, "c", {"c", {}, {"n1"}});
        erase(pods, "a");
        run();
        CHECK(take() == lines{"n1"});
        CHECK(content(out) == lines{"n1=bc", "n2="});
    }
    SECTION("a result without its input is gone, and so are its edges")
    {
        erase(nodes, "n1");
        run();
        CHECK(content(out) == lines{"n2="});
        CHECK(graph.edges() == 1);
        set(pods, "a", {"A", {}, {"n1"}});
        run();
        CHECK(take().empty());
    }
}

TEST_CASE_METHOD(fixture, "what a result no longer reads does not compute it", "[collections]")
{
    auto& out = rule("pointer", {&nodes}, [this](kd::computation& c) {
        calls.emplace_back(c.key);
        const auto at = graph.read_key(pods, read(c.inputs[0]).text);
        c.results.emplace_back("", item({at ? read(at).text : "none"}));
    });
    set(nodes, "n", {"a"});
    run();
    CHECK(content(out) == lines{"n=none"});
    set(pods, "a", {"1"});
    run();
    CHECK(content(out) == lines{"n=1"});
    set(nodes, "n", {"b"});
    run();
    CHECK(content(out) == lines{"n=none"});
    (void)take();
    set(pods, "a", {"2"});
    run();
    CHECK(take().empty());
    set(pods, "b", {"3"});
    run();
    CHECK(content(out) == lines{"n=3"});
    erase(pods, "b");
    run();
    CHECK(content(out) == lines{"n=none"});
    CHECK(graph.edges() == 1);
}

TEST_CASE_METHOD(fixture, "selectors find their readers by labels", "[collections]")
{
    auto& out = rule("selected", {&nodes}, [this](kd::computation& c) {
        calls.emplace_back(c.key);
        std::string text;
        const auto selector = kubecoro::label_selector::parse(read(c.inputs[0]).text).value();
        for (const auto& p : graph.read_selection(pods, selector)) text += read(p).text;
        c.results.emplace_back("", item({text}));
    });
    set(nodes, "any", {""});
    set(nodes, "not", {"app!=x"});
    set(nodes, "x", {"app=x,tier=1"});
    set(nodes, "y", {"app in (y,z)"});
    set(nodes, "tier", {"tier"});
    set(pods, "a", {"a", {{"app", "x"}}, {}});
    run();
    CHECK(content(out) == lines{"any=a", "not=", "tier=", "x=", "y="});
    (void)take();
    set(pods, "a", {"a", {{"app", "x"}, {"tier", "1"}}, {}});
    run();
    CHECK(take() == lines{"any", "tier", "x"});
    CHECK(content(out) == lines{"any=a", "not=", "tier=a", "x=a", "y="});
    set(pods, "a", {"a", {{"app", "z"}, {"tier", "1"}}, {}});
    run();
    CHECK(take() == lines{"any", "not", "tier", "x", "y"});
    CHECK(content(out) == lines{"any=a", "not=a", "tier=a", "x=", "y=a"});
    set(pods, "a", {"b", {{"app", "z"}}, {}});
    run();
    CHECK(take() == lines{"any", "not", "tier", "y"});
    erase(pods, "a");
    run();
    CHECK(content(out) == lines{"any=", "not=", "tier=", "x=", "y="});
}

TEST_CASE_METHOD(fixture, "an equal result stops there", "[collections]")
{
    auto& length = rule("length", {&pods}, [](kd::computation& c) {
        c.results.emplace_back("", item({std::to_string(read(c.inputs[0]).text.size())}));
    });
    auto& total = rule("total", {&nodes}, [this, &length](kd::computation& c) {
        calls.emplace_back(c.key);
        std::string text;
        for (const auto& l : graph.read_all(length)) text += read(l).text;
        c.results.emplace_back("", item({text}));
    });
    set(nodes, "n", {});
    set(pods, "a", {"xx"});
    run();
    (void)take();
    (void)length.take_changes();
    set(pods, "a", {"yy"});
    run();
    CHECK(take().empty());
    CHECK_FALSE(length.changed());
    CHECK(graph.stats(length).equal == 1);
    set(pods, "a", {"yyy"});
    run();
    CHECK(take() == lines{"n"});
    CHECK(content(total) == lines{"n=3"});
}

TEST_CASE_METHOD(fixture, "a result that throws is kept, reported once and computed again when an input changes",
                 "[collections]")
{
    auto& out = rule("strict", {&nodes}, [this](kd::computation& c) {
        const auto p = graph.read_key(pods, "a");
        if (p && read(p).text == "bad") throw std::runtime_error("no such thing");
        c.results.emplace_back("", item({p ? read(p).text : ""}));
    });
    set(nodes, "n", {});
    set(pods, "a", {"good"});
    run();
    set(pods, "a", {"bad"});
    run();
    CHECK(content(out) == lines{"n=good"});
    CHECK(graph.stale(out)->count("n") == 1);
    auto reports = graph.take_reports();
    REQUIRE(reports.size() == 1);
    CHECK(reports[0].key == "n");
    CHECK(reports[0].why.message().find("no such thing") != std::string::npos);
    set(nodes, "n", {"again"});
    run();
    CHECK(graph.take_reports().empty());
    CHECK(graph.stats(out).failed == 2);
    set(pods, "a", {"better"});
    run();
    CHECK(content(out) == lines{"n=better"});
    CHECK(graph.stale(out)->empty());
    set(pods, "a", {"bad"});
    run();
    CHECK(graph.take_reports().size() == 1);
    erase(nodes, "n");
    run();
    CHECK(graph.stale(out)->empty());
    CHECK(content(out).empty());
}

TEST_CASE_METHOD(core_fixture, "nothing is computed before its inputs are complete", "[collections]")
{
    auto& nodes = input("nodes", false);
    auto& pods = input("pods", false);
    std::size_t calls = 0;
    auto& first = rule("first", {&nodes}, [&](kd::computation& c) {
        ++calls;
        c.results.emplace_back("", item({std::to_string(graph.read_all(pods).size())}));
    });
    auto& second = rule("second", {&first}, [&](kd::computation& c) {
        ++calls;
        c.results.emplace_back("", c.inputs[0]);
    });
    set(nodes, "n", {});
    set(nodes, "m", {});
    run();
    CHECK(calls == 0);
    CHECK(graph.waits_for(first) == &nodes);
    graph.set_synced(nodes);
    run();
    CHECK(calls == 1); // which finds out what else is missing
    CHECK(graph.waits_for(first) == &pods);
    CHECK(graph.waits_for(second) == &first);
    CHECK_FALSE(second.synced());
    set(pods, "a", {});
    run();
    CHECK(content(first).empty());
    graph.set_synced(pods);
    run();
    CHECK(content(second) == lines{"m=1", "n=1"});
    CHECK(second.synced());
}

TEST_CASE_METHOD(core_fixture, "what a computation waits to read is indexed while it fills", "[collections]")
{
    auto& nodes = input("nodes");
    std::size_t calls = 0;
    auto kind = element_kind();
    kind.index = [&calls](std::string_view name) -> kd::item_index {
        if (name != "group") return {};
        return [&calls](const void* o) { return ++calls, static_cast<const element*>(o)->groups; };
    };
    kind.labels = [&calls](const void* o, kubecoro::object&) -> const kubecoro::object& {
        return ++calls, labels_of(*static_cast<const element*>(o));
    };
    auto& pods = graph.add_input(std::make_shared<kd::table_core>(tables++, 0, "pods", std::move(kind)));
    auto& out = rule("out", {&nodes}, [&](kd::computation& c) {
        const auto what = read(c.inputs[0]).text;
        const auto found = what == "index" ? graph.read_index(pods, "group", "g")
                           : what == "label"
                               ? graph.read_selection(pods, kubecoro::label_selector::parse("app=x").value())
                               : graph.read_index(pods, "nothing", "g");
        std::string text;
        for (const auto& p : found) text += read(p).text;
        c.results.emplace_back("", item({text}));
    });
    const std::string what = GENERATE("index", "label", "nothing");
    set(nodes, "n", {what});
    run();
    CHECK(graph.waits_for(out) == &pods);
    for (const std::string key : {"c", "a", "b", "d"}) set(pods, key, {key, {{"app", "x"}}, {"g"}});
    CHECK(calls == (what == "nothing" ? 0 : 4));
    graph.set_synced(pods);
    calls = 0;
    run();
    if (what == "nothing")
        CHECK(graph.stale(out)->begin()->second == kubecoro::cond::not_found);
    else
        CHECK(content(out) == lines{"n=abcd"});
    if (what == "index") CHECK(calls == 0);
    CHECK(graph.edges() <= 1);
}

TEST_CASE_METHOD(core_fixture, "of results with one key that of the smallest input counts", "[collections]")
{
    auto& in = input("in");
    auto& out = rule(
        "out", {&in},
        [](kd::computation& c) {
            for (const auto& g : read(c.inputs[0]).groups) c.results.emplace_back(g, item({read(c.inputs[0]).text}));
        },
        true);
    set(in, "b", {"b", {}, {"x", "y", "x"}});
    run();
    CHECK(content(out) == lines{"x=b", "y=b"});
    set(in, "a", {"a", {}, {"x"}});
    run();
    CHECK(content(out) == lines{"x=a", "y=b"});
    set(in, "a", {"a", {}, {"y"}});
    run();
    CHECK(content(out) == lines{"x=b", "y=a"});
    erase(in, "b");
    run();
    CHECK(content(out) == lines{"y=a"});
    erase(in, "a");
    run();
    CHECK(content(out).empty());
}

TEST_CASE_METHOD(core_fixture, "work goes on in turns, and changes are told once a batch", "[collections]")
{
    auto& in = input("in");
    auto& out = rule("out", {&in}, [](kd::computation& c) { c.results.emplace_back("", c.inputs[0]); });
    CHECK(out.take_changes().empty());
    for (int i = 0; i < 100; ++i) set(in, "k" + std::to_string(i), {"1"});
    CHECK(run(10) == 10);
    CHECK(out.take_changes().size() == 100);
    CHECK(in.take_changes().empty()); // of the first time
    set(in, "k1", {"2"});
    erase(in, "k1");
    set(in, "k1", {"3"});
    set(in, "k2", {"2"});
    set(in, "k2", {"1"});
    set(in, "new", {"1"});
    erase(in, "new");
    run();
    const auto kept = out.content();
    const auto changes = out.take_changes();
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].of->key() == "k1");
    CHECK(in.take_changes().size() == 1); // the others are back where they were
    CHECK(read(changes[0].before).text == "1");
    CHECK(read(changes[0].after).text == "3");
    set(in, "k1", {"4"});
    run();
    CHECK(read(kept.get("k1")).text == "3");
}

TEST_CASE_METHOD(core_fixture, "wrong reads fail with their reason", "[collections]")
{
    auto& in = input("in");
    kd::table_core* later = nullptr;
    auto& out = rule("out", {&in}, [&](kd::computation& c) {
        if (read(c.inputs[0]).text == "index") (void)graph.read_index(in, "nothing", "x");
        (void)graph.read_all(*later);
    });
    later = &rule("later", {&in}, [](kd::computation&) {});
    set(in, "a", {"index"});
    set(in, "b", {""});
    run();
    const auto& stale = *graph.stale(out);
    REQUIRE(stale.size() == 2);
    CHECK(stale.find("a")->second == kubecoro::cond::not_found);
    CHECK(stale.find("b")->second == kubecoro::cond::misconfigured);
    CHECK_THROWS_AS(graph.read_all(in), kubecoro::error);
}
