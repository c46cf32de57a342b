// Tests of namespaces that are added to and removed from a running informer.

#include "informer_fixture.hpp"

#include <kubecoro/test/scripted_informers.hpp>
#include <kubecoro/testing/every_step.hpp>

#include <map>

namespace asio = boost::asio;
using namespace informer_test;
using kubecoro::cond;
using kubecoro::failure;
using kubecoro::informer_state;
using kubecoro::result;
using kubecoro::untyped::node;

namespace {

/// One namespace with one pod: "web/a@1".
kt::scripted_watch one_pod(fixture& f, const std::string& ns, const std::string& version = "1")
{
    f.source(ns).on_list(kt::make_page({kt::make_pod(ns, "a", version)}, "10"));
    return f.source(ns).on_watch();
}

/// An informer of these namespaces, each of which has one pod.
struct covering : fixture
{
    kubecoro::shared_informer<> pods;
    std::map<std::string, kt::scripted_watch> watches;

    explicit covering(std::vector<std::string> namespaces) : pods(informers->get<pod>({.namespaces = namespaces}))
    {
        for (const auto& ns : namespaces) watches.emplace(ns, one_pod(*this, ns));
    }
    void start()
    {
        informers->start();
        REQUIRE(run.run(pods.has_synced()));
        settle();
    }
};

} // namespace

TEST_CASE("namespaces: an added one is listed and delivered as initial; the others are not affected",
          "[cache][namespaces]")
{
    covering f({"web"});
    f.pods.add_event_handler(f.writer());
    f.start();
    f.source("jobs").on_list(kt::make_page({kt::make_pod("jobs", "b", "2")}, "11"), 5s);
    auto jobs = f.source("jobs").on_watch();
    auto joining = f.run.spawn(f.pods.add_namespace("jobs"));
    f.settle();
    CHECK_FALSE(joining.done());
    CHECK(f.pods.synced());
    CHECK(f.pods.state() == informer_state::listing);
    f.watches["web"].send(kt::added(kt::make_pod("web", "c", "12")));
    f.settle();
    CHECK(f.take() == lines{"initial web/a@1", "added web/c@12"});
    f.run.advance(5s);
    REQUIRE(joining.done());
    REQUIRE(joining.outcome());
    f.settle();
    CHECK(f.take() == lines{"initial jobs/b@2"});
    CHECK(content(f.pods) == lines{"jobs/b@2", "web/a@1", "web/c@12"});
    CHECK(f.pods.namespaces() == lines{"jobs", "web"});
    CHECK(f.source("web").lists() == 1);
    CHECK(f.source("web").watches() == 1);
    jobs.send(kt::deleted(kt::make_pod("jobs", "b", "13")));
    f.settle();
    CHECK(f.take() == lines{"deleted jobs/b@13"});
}

TEST_CASE("namespaces: a removed one is delivered as deleted, with its reason, and its watch is closed",
          "[cache][namespaces]")
{
    covering f({"web", "jobs"});
    std::vector<kubecoro::departure> why;
    f.pods.add_event_handler({.on_delete = [&why](const kubecoro::deleted<>& e) { why.push_back(e.why); }});
    f.start();
    f.watches["web"].send(kt::deleted(kt::make_pod("web", "a", "11")));
    f.settle();
    REQUIRE(f.run.run(f.pods.remove_namespace("jobs")));
    // The change waits for that, so it is true at once.
    CHECK(f.watches["jobs"].closed());
    f.settle();
    CHECK_FALSE(f.watches["web"].closed());
    CHECK(why == std::vector{kubecoro::departure::deleted, kubecoro::departure::namespace_left});
    CHECK(content(f.pods).empty());
    CHECK(f.run.run(f.pods.remove_namespace("jobs")));
    CHECK(f.pods.namespaces() == lines{"web"});
    CHECK(f.pods.stats().reflector.lists == 2); // removed namespaces still count
}

TEST_CASE("namespaces: one that is removed and added again starts from scratch", "[cache][namespaces]")
{
    covering f({"web"});
    f.pods.add_event_handler(f.writer());
    f.start();
    auto after = one_pod(f, "web", "20");
    auto left = f.run.spawn(f.pods.remove_namespace("web"));
    REQUIRE(f.run.run_until([&] { return f.pods.lister().size() == 0; })); // its watch has not ended yet
    auto joined = f.run.spawn(f.pods.add_namespace("web"));
    f.settle();
    REQUIRE(left.done());
    REQUIRE(joined.done());
    CHECK(left.outcome());
    CHECK(joined.outcome());
    f.watches["web"].send(kt::added(kt::make_pod("web", "late", "21")));
    f.settle();
    CHECK(content(f.pods) == lines{"web/a@20"});
    CHECK(f.take() == lines{"initial web/a@1", "lost web/a@1", "initial web/a@20"});
}

TEST_CASE("namespaces: from all to some and back, objects that stay covered are not delivered again",
          "[cache][namespaces]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    f.source().on_list(kt::make_page({kt::make_pod("web", "a", "1"), kt::make_pod("jobs", "b", "2")}, "10"));
    auto all = f.source().on_watch();
    pods.add_event_handler(f.writer());
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    f.settle();
    f.take();
    f.source("web").on_list(kt::make_page({kt::make_pod("web", "a", "1"), kt::make_pod("web", "c", "11")}, "11"));
    auto web = f.source("web").on_watch();
    REQUIRE(f.run.run(pods.set_namespaces({"web"})));
    f.settle();
    CHECK(all.closed());
    CHECK(f.take() == lines{"lost jobs/b@2", "initial web/c@11"});
    // Not an older state than the known one.
    CHECK(f.source("web").list_call(0).resource_version == "10");

    f.source().on_list(kt::make_page(
        {kt::make_pod("web", "a", "1"), kt::make_pod("web", "c", "11"), kt::make_pod("jobs", "b", "2")}, "12"));
    auto again = f.source().on_watch();
    REQUIRE(f.run.run(pods.add_namespace("")));
    f.settle();
    CHECK(web.closed());
    CHECK(pods.namespaces().empty());
    CHECK(f.take() == lines{"initial jobs/b@2"});
    CHECK(f.source().list_call(1).resource_version == "11");
    // The namespace is covered already.
    CHECK(f.run.run(pods.add_namespace("jobs")));
    CHECK(f.source().lists() == 2);
    CHECK(content(pods) == lines{"jobs/b@2", "web/a@1", "web/c@11"});
}

TEST_CASE("namespaces: an empty set is synced, has no objects, and can grow", "[cache][namespaces]")
{
    const bool before_the_start = GENERATE(false, true);
    covering f({"web"});
    if (!before_the_start) f.start();
    REQUIRE(f.run.run(f.pods.set_namespaces({})));
    CHECK(f.pods.namespaces().empty());
    CHECK(f.pods.lister().size() == 0);
    if (before_the_start) {
        CHECK_FALSE(f.pods.synced());
        CHECK(f.pods.state() == informer_state::created);
        f.start();
        CHECK(f.source("web").lists() == 0);
    }
    CHECK(f.pods.state() == informer_state::watching);
    auto jobs = one_pod(f, "jobs");
    REQUIRE(f.run.run(f.pods.add_namespace("jobs")));
    CHECK(content(f.pods) == lines{"jobs/a@1"});
}

TEST_CASE("namespaces: those added before the first sync count for it, removed ones do not", "[cache][namespaces]")
{
    fixture f;
    auto pods = f.informers->get<pod>({.namespaces = {"web", "slow"}});
    auto web = one_pod(f, "web");
    f.source("slow").on_list_hang();
    f.source("jobs").on_list(kt::make_page({}, "10"), 3s);
    auto jobs = f.source("jobs").on_watch();
    f.informers->start();
    auto syncing = f.run.spawn(pods.has_synced());
    auto joining = f.run.spawn(pods.add_namespace("jobs"));
    f.run.advance(1s);
    auto leaving = f.run.spawn(pods.remove_namespace("slow"));
    f.settle();
    CHECK(leaving.done());
    CHECK(f.source("slow").in_flight() == 0);
    CHECK_FALSE(syncing.done());
    f.run.advance(3s);
    REQUIRE(syncing.done());
    CHECK(syncing.outcome());
    CHECK(joining.done());
}

TEST_CASE("namespaces: a forbidden one fails its own wait at once, and is retried", "[cache][namespaces]")
{
    covering f({"web"});
    f.start();
    f.source("jobs").on_list(failure(cond::forbidden, "no"));
    auto jobs = one_pod(f, "jobs");
    const auto joined = f.run.run(f.pods.add_namespace("jobs"));
    REQUIRE_FALSE(joined);
    CHECK(joined.error() == cond::forbidden);
    CHECK(f.pods.synced());
    REQUIRE(f.run.run(f.pods.add_namespace("jobs")).error() == cond::forbidden);
    f.run.advance(1min);
    REQUIRE(f.run.run(f.pods.add_namespace("jobs")));
    CHECK(content(f.pods) == lines{"jobs/a@1", "web/a@1"});
}

TEST_CASE("namespaces: a forbidden one no longer blocks the sync once it is removed", "[cache][namespaces]")
{
    fixture f;
    auto pods = f.informers->get<pod>({.namespaces = {"web", "jobs"}});
    f.source("jobs").on_list(failure(cond::forbidden, "no"));
    f.source("jobs").on_list_hang();
    f.source("web").on_list(kt::make_page({}, "10"), 1s);
    auto web = f.source("web").on_watch();
    auto handler = pods.add_event_handler(f.writer());
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()).error() == cond::forbidden);
    auto leaving = f.run.spawn(pods.remove_namespace("jobs"));
    f.settle();
    REQUIRE(leaving.done());
    CHECK(f.run.run(handler.has_synced()));
    CHECK(f.run.run(pods.has_synced()));
}

TEST_CASE("namespaces: a wait for an added one ends with the reason when it cannot complete", "[cache][namespaces]")
{
    covering f({"web"});
    f.start();
    f.source("jobs").on_list_hang();
    auto joining = f.run.spawn(f.pods.add_namespace("jobs"));
    f.settle();
    CHECK_FALSE(joining.done());
    SECTION("because it is removed again") { CHECK(f.run.run(f.pods.remove_namespace("jobs"))); }
    SECTION("because the informer stops")
    {
        CHECK(f.run.run(f.informers->stop()));
        CHECK(f.run.run(f.pods.add_namespace("more")).error() == cond::cancelled);
    }
    SECTION("because the wait is cancelled; the namespace stays")
    {
        joining.cancel();
        f.settle();
        CHECK(f.pods.namespaces() == lines{"jobs", "web"});
    }
    f.settle();
    REQUIRE(joining.done());
    CHECK(joining.outcome().error() == cond::cancelled);
}

TEST_CASE("namespaces: a change that is superseded before it takes effect fails", "[cache][namespaces]")
{
    covering f({"web"});
    f.start();
    auto change = f.pods.set_namespaces({"jobs"}); // takes effect at once, awaited later
    SECTION("by the stop")
    {
        CHECK(f.run.run(f.informers->stop()));
        CHECK(f.run.run(std::move(change)).error() == cond::cancelled);
    }
    SECTION("by the stop, for a removal only")
    {
        auto less = f.pods.remove_namespace("jobs");
        CHECK(f.run.run(f.informers->stop()));
        CHECK(f.run.run(std::move(change)).error() == cond::cancelled);
        CHECK(f.run.run(std::move(less)).error() == cond::cancelled);
        CHECK(content(f.pods) == lines{"web/a@1"});
    }
    SECTION("by another change")
    {
        auto back = f.pods.set_namespaces({"web"});
        CHECK(f.run.run(std::move(back)));
        const auto taken_out = f.run.run(std::move(change));
        REQUIRE_FALSE(taken_out);
        CHECK(taken_out.error() == cond::cancelled);
        CHECK(taken_out.error().message() == "namespace 'jobs' was removed before it was added");
        CHECK(f.pods.namespaces() == lines{"web"});
    }
    SECTION("by one that covers it")
    {
        f.source().on_list(kt::make_page({kt::make_pod("jobs", "b", "11")}, "11"));
        f.source().on_watch();
        auto all = f.pods.set_namespaces({""});
        CHECK(f.run.run(std::move(change)));
        CHECK(content(f.pods) == lines{"jobs/b@11"});
        CHECK(f.run.run(std::move(all)));
    }
}

TEST_CASE("namespaces: the newest of their versions counts, for numbers of any length", "[cache][namespaces]")
{
    const std::string older = "99999999999999999999";  // more than 64 bits
    const std::string newer = "100000000000000000000"; // one more than `older`
    const bool swapped = GENERATE(false, true);
    fixture f;
    auto pods = f.informers->get<pod>({.namespaces = {"jobs", "web"}});
    f.source("jobs").on_list(kt::make_page({}, swapped ? newer : older));
    f.source("web").on_list(kt::make_page({}, swapped ? older : newer));
    f.source("jobs").on_watch();
    f.source("web").on_watch();
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    CHECK(pods.last_resource_version() == newer);
    CHECK(pods.stats().resource_version == newer);
}

TEST_CASE("namespaces: a cluster-scoped kind refuses them", "[cache][namespaces]")
{
    fixture f;
    auto nodes = f.informers->get<node>();
    CHECK(f.run.run(nodes.add_namespace("web")).error() == cond::misconfigured);
    CHECK(f.run.run(nodes.set_namespaces({"", "web"})).error() == cond::misconfigured);
    CHECK(nodes.namespaces().empty());
}

TEST_CASE("namespaces: sharing compares the namespaces covered now", "[cache][namespaces]")
{
    fixture f;
    auto pods = f.informers->get<pod>({.namespaces = {"web"}});
    auto change = pods.set_namespaces({"jobs"});
    CHECK_FALSE(f.informers->get<pod>({.namespaces = {"web"}}) == pods);
    CHECK(f.informers->get<pod>({.namespaces = {"jobs"}}) == pods);
    auto widened = pods.add_namespace("");
    CHECK(f.informers->get<pod>() == pods);
}

TEST_CASE("namespaces: two hundred are added and removed without a leak", "[cache][namespaces]")
{
    covering f({"home"});
    f.pods.add_event_handler(f.writer());
    f.start();
    CHECK(f.take() == lines{"initial home/a@1"});
    std::vector<std::string> many;
    for (int i = 0; i < 200; ++i) many.push_back("n" + std::to_string(i));
    for (int round = 0; round < 3; ++round) {
        std::vector<kt::scripted_watch> watches;
        for (const auto& ns : many) watches.push_back(one_pod(f, ns));
        auto wanted = many;
        wanted.push_back("home");
        REQUIRE(f.run.run(f.pods.set_namespaces(wanted)));
        f.settle();
        CHECK(f.pods.lister().size() == 201);
        CHECK(f.take().size() == 200);
        REQUIRE(f.run.run(f.pods.set_namespaces({"home"})));
        f.settle();
        CHECK(f.pods.lister().size() == 1);
        CHECK(f.take().size() == 200);
        CHECK(std::all_of(watches.begin(), watches.end(), [](const auto& w) { return w.closed(); }));
    }
    CHECK_FALSE(f.watches["home"].closed());
    CHECK(f.source("home").lists() == 1);
    CHECK(f.log.count(kubecoro::log_level::warning) == 0);
}

namespace {

struct changing_life : kubecoro::test::scripted_informers
{
    explicit changing_life(kt::runner& r) : scripted_informers(r)
    {
        for (const std::string ns : {"a", "b", "c"}) {
            const auto s = provider->source(pod::resource(), {.ns = ns});
            for (int i = 0; i < 2; ++i) {
                s->on_list(kt::make_page({kt::make_pod(ns, "x", "1")}, "5"), 10ms);
                s->on_watch();
            }
        }
        const auto all = provider->source(pod::resource(), {});
        all->on_list(kt::make_page({kt::make_pod("a", "x", "1")}, "5"), 10ms);
        all->on_watch();
    }
};

// The life is the scenario's fixture: it is destroyed after every coroutine that uses it.
asio::awaitable<result<>> change_often(changing_life* l)
{
    auto pods = l->informers->get<pod>({.namespaces = {"a"}});
    pods.add_event_handler({.on_add = [](const kubecoro::added<>&) {}});
    l->informers->start();
    const std::vector<std::vector<std::string>> sets{{"a", "b"}, {"b", "c"}, {""}, {"c"}, {}, {"a"}};
    for (const auto& s : sets) {
        if (const auto changed = co_await pods.set_namespaces(s); !changed) co_return changed;
    }
    co_return co_await l->informers->stop();
}

} // namespace

TEST_CASE("namespaces: changes cancelled or destroyed at any step", "[cache][namespaces][every_step]")
{
    const auto make = [](kt::runner& r) {
        auto l = std::make_shared<changing_life>(r);
        return kt::scenario{change_often(l.get()), l};
    };
    std::size_t finished = 0;
    const auto cancelled = kt::cancel_after_every_step(make, [&](const result<>& r) {
        if (r)
            ++finished;
        else
            CHECK(r.error() == cond::cancelled);
    });
    REQUIRE(cancelled);
    CHECK(*cancelled > 50);
    CHECK(finished >= 1);
    const auto destroyed = kt::stop_after_every_step(make);
    REQUIRE(destroyed);
    CHECK(*destroyed > 50);
}
