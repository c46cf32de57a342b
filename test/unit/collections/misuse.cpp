// Misuse of collections: calls at the wrong moment, or too many.
#include "core_fixture.hpp"
#include "live_fixture.hpp"

#include <kubecoro/base/try.hpp>

namespace {

using namespace collections_test;
using kubecoro::cond;
using kubecoro::result;

struct many_pods : live_fixture
{
    void start_with(int count)
    {
        list_nodes({"n1"});
        std::vector<object> all;
        for (int i = 0; i < count; ++i) all.push_back(pod("p" + std::to_string(i), "n1"));
        list_pods(std::move(all));
        informers->start();
    }
    [[nodiscard]] std::size_t readers_of_pods() const
    {
        const auto all = pods.stats().handlers;
        return static_cast<std::size_t>(
            std::count_if(all.begin(), all.end(), [](const auto& h) { return h.name == "collections"; }));
    }
};

} // namespace

TEST_CASE_METHOD(core_fixture, "a function of an index or of labels may throw anything", "[collections]")
{
    auto kind = element_kind();
    kind.index = [](std::string_view) -> kd::item_index {
        return [](const void*) -> std::vector<std::string> { throw 1; };
    };
    kind.labels = [](const void*, kubecoro::object&) -> const kubecoro::object& { throw 1; };
    auto& pods = graph.add_input(std::make_shared<kd::table_core>(tables++, 0, "pods", std::move(kind)));
    graph.set_synced(pods);
    set(pods, "a", {"a"});
    auto& out = rule("out", {&pods}, [&](kd::computation& c) {
        const auto found = graph.read_index(pods, "group", "g").size() +
                           graph.read_selection(pods, kubecoro::label_selector::parse("app=x").value()).size();
        c.results.emplace_back("", item({std::to_string(found)}));
    });
    run();
    set(pods, "b", {"b"});
    run();
    CHECK(content(out) == lines{"a=0", "b=0"});
    CHECK(pods.index_failures() >= 4);
}

TEST_CASE_METHOD(many_pods, "what is made after the stop reads nothing", "[collections]")
{
    start_with(2);
    run.run_until_idle();
    REQUIRE(run.run(live->stop()));
    const auto all = live->of(pods);
    const auto late = kubecoro::filter(*live, pods, [](const object&) { return true; });
    run.run_until_idle();
    CHECK(run.run(late.has_synced()).error() == cond::cancelled);
    CHECK(run.run(all.has_synced()).error() == cond::cancelled);
    CHECK(readers_of_pods() == 0);
}

TEST_CASE_METHOD(many_pods, "a function may derive from what is computed, and destroy live_queries", "[collections]")
{
    std::optional<kubecoro::collection<object>> inner;
    const bool destroys = GENERATE(false, true);
    const auto names = kubecoro::derive<std::string>(*live, pods, [&](const object& p, auto& look) {
        if (!inner) {
            inner = kubecoro::filter(*live, nodes, [](const object&) { return true; });
            if (destroys) live.reset();
        }
        return std::string(p.name()) + std::to_string(look.all(nodes).size());
    });
    start_with(3000);
    const auto synced = run.run(names.has_synced());
    run.run_until_idle();
    REQUIRE(inner);
    CHECK(synced.has_value() == !destroys);
    CHECK(names.size() == (destroys ? 0U : 3000U));
    CHECK(inner->size() == (destroys ? 0U : 1U));
    CHECK(log.count("live_queries was destroyed while it runs") == (destroys ? 1 : 0));
}

TEST_CASE_METHOD(many_pods, "the stop does not wait for the first computation", "[collections]")
{
    std::size_t computed = 0;
    const auto names = kubecoro::derive<std::string>(*live, pods, [&](const object& p) {
        if (++computed == 100) live->request_stop();
        return std::string(p.name());
    });
    auto synced = run.spawn(names.has_synced());
    start_with(5000);
    run.run_until_idle();
    REQUIRE(run.run(live->stop()));
    REQUIRE(synced.done());
    CHECK(synced.outcome().error() == cond::cancelled);
    CHECK(computed < 2000);
    CHECK(names.list().empty());
    CHECK(readers_of_pods() == 0);
}

TEST_CASE_METHOD(many_pods, "a change goes through a thousand collections, one computation each", "[collections]")
{
    std::size_t computed = 0;
    auto last = kubecoro::derive<std::string>(
        *live, pods, [](const object& p) { return std::string(p["spec"]["nodeName"].as_string()); });
    for (int i = 0; i < 1000; ++i)
        last = kubecoro::derive<std::string>(*live, last, [&computed](const std::string& s) {
            ++computed;
            return s;
        });
    start_with(1);
    REQUIRE(run.run(last.has_synced()));
    CHECK(computed == 1000);
    pods_watch.send(kt::modified(pod("p0", "n2")));
    run.run_until_idle();
    CHECK(computed == 2000);
    CHECK(texts(last) == lines{"n2"});
    CHECK(last.versions().size() == 1);
}

TEST_CASE_METHOD(many_pods, "a handler may await what it derives", "[collections]")
{
    lines seen;
    const auto loads = this->loads();
    loads.add_event_handler([&](const kubecoro::collection_change<node_load>&) -> boost::asio::awaitable<result<>> {
        KUBECORO_TRY(co_await loads.has_synced());
        const auto names = kubecoro::flat_map<std::string>(*live, loads, [](const node_load& l) {
            std::map<std::string, std::string> out;
            for (const auto& p : l.pods) out[p] = l.node;
            return out;
        });
        KUBECORO_TRY(co_await names.has_synced());
        KUBECORO_TRY(const auto on, co_await names.wait_for("p1", [](const auto& n) { return n != nullptr; }));
        seen.push_back(*on);
        co_return co_await live->has_synced();
    });
    start_with(2);
    run.run_until_idle();
    CHECK(seen == lines{"n1"});
    CHECK(log.count("failed") == 0);
}
