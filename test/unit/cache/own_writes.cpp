// Tests of reading one's own writes: waits until the store has reached a version.

#include "informer_fixture.hpp"

#include "store/version_board.hpp"

#include <kubecoro/base/timeout.hpp>
#include <kubecoro/test/scripted_informers.hpp>
#include <kubecoro/testing/every_step.hpp>

namespace asio = boost::asio;
using namespace informer_test;
using kubecoro::cond;
using kubecoro::object;

namespace {

/// An informer of pods that has listed web/a@5 at version 10 and is watching.
struct synced : fixture
{
    kubecoro::shared_informer<object> pods;
    kt::scripted_watch watch;

    synced() : pods(informers->get<pod>())
    {
        source().on_list(kt::make_page({kt::make_pod("web", "a", "5")}, "10"));
        watch = source().on_watch();
        informers->start();
        REQUIRE(run.run(pods.has_synced()));
        settle();
    }
};

std::string version_of(const kubecoro::result<object>& r) { return r ? fixture::text(*r) : r.error().describe(); }

} // namespace

TEST_CASE("own writes: get_after waits for the event of the write", "[cache][own_writes]")
{
    synced f;
    auto reading = f.run.spawn(f.pods.lister().get_after({"web", "a"}, "12"));
    f.settle();
    CHECK_FALSE(reading.done());
    f.watch.send(kt::modified(kt::make_pod("web", "a", "11")));
    f.settle();
    CHECK_FALSE(reading.done());
    f.watch.send({kt::modified(kt::make_pod("web", "a", "12")), kt::modified(kt::make_pod("web", "a", "13"))});
    f.settle();
    REQUIRE(reading.done());
    CHECK(version_of(reading.outcome()) == "web/a@13"); // the newest, not an old one
    CHECK(version_of(f.run.run(f.pods.lister().get_after({"web", "a"}, "12"))) == "web/a@13");
    CHECK(f.pods.lister().reached("13"));
    CHECK_FALSE(f.pods.lister().reached("14"));
}

TEST_CASE("own writes: an object created and deleted before the read is null, and not awaited forever",
          "[cache][own_writes]")
{
    synced f;
    auto created = f.run.spawn(f.pods.lister().get_after({"web", "b"}, "11"));
    f.watch.send({kt::added(kt::make_pod("web", "b", "11")), kt::deleted(kt::make_pod("web", "b", "12"))});
    f.settle();
    REQUIRE(created.done());
    REQUIRE(created.outcome());
    CHECK_FALSE(*created.outcome());
}

TEST_CASE("own writes: a bookmark, another object's event and a relist all advance the store", "[cache][own_writes]")
{
    synced f;
    auto by_bookmark = f.run.spawn(f.pods.wait_until("20"));
    auto by_event = f.run.spawn(f.pods.lister().get_after({"web", "a"}, "30"));
    auto by_list = f.run.spawn(f.pods.wait_until("40", "web"));
    f.settle();
    f.watch.send(kt::bookmark("21"));
    f.settle();
    CHECK(by_bookmark.done());
    CHECK_FALSE(by_event.done());
    f.watch.send(kt::added(kt::make_pod("web", "b", "31")));
    f.settle();
    REQUIRE(by_event.done());
    CHECK(version_of(by_event.outcome()) == "web/a@5"); // no newer state of it up to that version
    f.source().on_list(kt::make_page({kt::make_pod("web", "a", "5")}, "41"));
    auto second = f.source().on_watch();
    f.watch.send(kt::error_event(410, "Expired"));
    REQUIRE(f.run.run_until([&] { return by_list.done(); }));
    CHECK(by_list.outcome());
}

TEST_CASE("own writes: a bookmark takes fewer handlers than an event", "[cache][own_writes]")
{
    synced f;
    const auto handlers_of = [&f](const kubecoro::watch_event& e) {
        const auto before = f.run.handlers();
        f.watch.send(e);
        f.settle();
        return f.run.handlers() - before;
    };
    const auto event = handlers_of(kt::modified(kt::make_pod("web", "a", "12")));
    CHECK(handlers_of(kt::bookmark("20")) < event); // the informer's strand does not wake up
    CHECK(f.pods.lister().reached("20"));
}

TEST_CASE("own writes: a bookmark does not overtake the events before it", "[cache][own_writes]")
{
    synced f;
    f.watch.send(kt::modified(kt::make_pod("web", "a", "12")));
    f.watch.send(kt::bookmark("20"));
    while (!f.pods.lister().reached("20")) {
        CHECK(f.pods.lister().reached("12") == (fixture::text(f.pods.lister().get({"web", "a"})) == "web/a@12"));
        REQUIRE(f.run.step(1) == 1);
    }
    CHECK(fixture::text(f.pods.lister().get({"web", "a"})) == "web/a@12");
}

TEST_CASE("own writes: a lane that was removed reaches no version for the next one of its namespace",
          "[cache][own_writes]")
{
    kubecoro::detail::version_board board;
    const kubecoro::detail::sync_gate removed;
    const kubecoro::detail::sync_gate present;
    board.add_lane("web", removed);
    board.reach("web", removed, "10");
    CHECK(board.reached("web", "10"));
    board.remove_lane("web");
    board.add_lane("web", present);
    board.reach("web", removed, "11");
    CHECK_FALSE(board.reached("web", "10"));
    board.reach("web", present, "12");
    CHECK(board.reached("web", "11"));
}

TEST_CASE("own writes: a wait before the first list ends with it, or with the reason it fails", "[cache][own_writes]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    auto early = f.run.spawn(pods.lister().get_after({"web", "a"}, "9"));
    auto any = f.run.spawn(pods.wait_until(""));
    CHECK_FALSE(pods.lister().reached(""));
    f.settle();
    SECTION("the list succeeds")
    {
        f.source().on_list(kt::make_page({kt::make_pod("web", "a", "9")}, "10"));
        auto watch = f.source().on_watch();
        f.informers->start();
        f.settle();
        REQUIRE(early.done());
        CHECK(version_of(early.outcome()) == "web/a@9");
        CHECK(any.done());
    }
    SECTION("it is forbidden")
    {
        f.source().on_list(kt::server_failure(403, "Forbidden"));
        f.informers->start();
        f.settle();
        REQUIRE(early.done());
        CHECK(early.outcome().error() == cond::forbidden);
        CHECK(any.outcome().error() == cond::forbidden);
    }
}

TEST_CASE("own writes: every namespace has its own version", "[cache][own_writes]")
{
    fixture f;
    auto both = f.informers->get<pod>({.namespaces = {"web", "jobs"}});
    f.source("web").on_list(kt::make_page({kt::make_pod("web", "a", "5")}, "10"));
    f.source("jobs").on_list(kt::make_page({}, "10"));
    auto web = f.source("web").on_watch();
    auto jobs = f.source("jobs").on_watch();
    f.informers->start();
    REQUIRE(f.run.run(both.has_synced()));
    auto object_of_web = f.run.spawn(both.lister().get_after({"web", "a"}, "12"));
    auto one = f.run.spawn(both.wait_until("12", "web"));
    auto all = f.run.spawn(both.wait_until("12"));
    f.settle();
    web.send(kt::modified(kt::make_pod("web", "a", "12")));
    f.settle();
    CHECK(object_of_web.done());
    CHECK(one.done());
    CHECK_FALSE(all.done());
    CHECK(both.lister().reached("12", "web"));
    CHECK_FALSE(both.lister().reached("12"));
    jobs.send(kt::bookmark("13"));
    f.settle();
    CHECK(all.done());

    CHECK(f.run.run(both.wait_until("1", "other")).error() == cond::misconfigured);
    CHECK(f.run.run(both.lister().get_after({"other", "a"}, "1")).error() == cond::misconfigured);
    CHECK_FALSE(both.lister().reached("1", "other"));
}

TEST_CASE("own writes: the removal of a namespace ends its waits, unless another watch covers it",
          "[cache][own_writes]")
{
    fixture f;
    auto pods = f.informers->get<pod>({.namespaces = {"web", "jobs"}});
    for (const char* ns : {"web", "jobs"}) {
        f.source(ns).on_list(kt::make_page({}, "10"));
        static_cast<void>(f.source(ns).on_watch());
    }
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    auto web = f.run.spawn(pods.lister().get_after({"web", "a"}, "12"));
    auto all = f.run.spawn(pods.wait_until("12"));
    f.settle();
    SECTION("it is no longer watched")
    {
        auto leaving = f.run.spawn(pods.remove_namespace("web"));
        f.settle();
        REQUIRE(web.done());
        CHECK(web.outcome().error() == cond::misconfigured);
        CHECK_FALSE(all.done());
        CHECK(pods.lister().reached("10"));
        leaving.cancel();
    }
    SECTION("all namespaces are watched from now on")
    {
        f.source().on_list(kt::make_page({kt::make_pod("web", "a", "12")}, "13"));
        static_cast<void>(f.source().on_watch());
        REQUIRE(f.run.run(pods.set_namespaces({""})));
        f.settle();
        REQUIRE(web.done());
        CHECK(version_of(web.outcome()) == "web/a@12");
        REQUIRE(all.done());
        CHECK(all.outcome());
    }
}

TEST_CASE("own writes: opaque versions are recognised when they are seen, even inside a batch", "[cache][own_writes]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    f.source().on_list(kt::make_page({kt::make_pod("web", "a", "v-a")}, "v-b"));
    auto watch = f.source().on_watch();
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    CHECK(version_of(f.run.run(pods.lister().get_after({"web", "a"}, "v-a"))) == "web/a@v-a");
    auto waiting = f.run.spawn(pods.lister().get_after({"web", "a"}, "v-c"));
    f.settle();
    watch.send({kt::modified(kt::make_pod("web", "a", "v-c")), kt::modified(kt::make_pod("web", "a", "v-d"))});
    f.settle();
    REQUIRE(waiting.done());
    CHECK(version_of(waiting.outcome()) == "web/a@v-d");
    CHECK(f.run.run(pods.wait_until("v-c"))); // it was reached
}

TEST_CASE("own writes: the informer's stop ends every wait, and reached versions stay reached", "[cache][own_writes]")
{
    synced f;
    auto waiting = f.run.spawn(f.pods.wait_until("99"));
    f.settle();
    REQUIRE(f.run.run(f.informers->stop()));
    f.settle();
    REQUIRE(waiting.done());
    CHECK(waiting.outcome().error() == cond::cancelled);
    CHECK(f.run.run(f.pods.wait_until("99")).error() == cond::cancelled);
    CHECK(f.run.run(f.pods.wait_until("10")));
    CHECK(version_of(f.run.run(f.pods.lister().get_after({"web", "a"}, "5"))) == "web/a@5");
}

TEST_CASE("own writes: a deadline and a cancellation end one wait and not the others", "[cache][own_writes]")
{
    synced f;
    auto limited = f.run.spawn(
        kubecoro::with_timeout(f.run.clock(), 5s, "wait for pods", f.pods.lister().get_after({"web", "a"}, "12")));
    auto cancelled = f.run.spawn(f.pods.wait_until("12"));
    auto stays = f.run.spawn(f.pods.wait_until("12"));
    f.settle();
    cancelled.cancel();
    f.run.advance(6s);
    REQUIRE(limited.done());
    CHECK(limited.outcome().error() == cond::timed_out);
    REQUIRE(cancelled.done());
    CHECK(cancelled.outcome().error() == cond::cancelled);
    CHECK_FALSE(stays.done());
    f.watch.send(kt::modified(kt::make_pod("web", "a", "12")));
    f.settle();
    CHECK(stays.done());
}

TEST_CASE("own writes: with ten thousand waits each batch wakes only those it completes", "[cache][own_writes]")
{
    synced f;
    std::vector<kt::task<void>> waits;
    for (int i = 0; i < 10'000; ++i) waits.push_back(f.run.spawn(f.pods.wait_until(std::to_string(11 + i))));
    f.settle();
    const auto before = f.run.handlers();
    f.watch.send(kt::bookmark("20"));
    f.settle();
    CHECK(f.run.handlers() - before < 100);
    CHECK(std::count_if(waits.begin(), waits.end(), [](const auto& w) { return w.done(); }) == 10);
    f.watch.send(kt::bookmark("20000"));
    f.settle();
    CHECK(std::all_of(waits.begin(), waits.end(), [](const auto& w) { return w.done(); }));
}

TEST_CASE("own writes: a wait may be destroyed or cancelled at every step", "[cache][own_writes]")
{
    const auto make = [](kt::runner& run) {
        using setting = kubecoro::test::scripted_informers;
        auto s = std::make_shared<setting>(run);
        auto pods = s->informers->get<pod>();
        auto& source = s->source(pod::resource());
        source.on_list(kt::make_page({kt::make_pod("web", "a", "5")}, "10"));
        source.on_watch().pause(1s).send(kt::modified(kt::make_pod("web", "a", "12")));
        auto body = [](std::shared_ptr<setting> of,
                       kubecoro::shared_informer<object> from) -> asio::awaitable<kubecoro::result<>> {
            of->informers->start();
            const auto got = co_await kubecoro::catch_failure(from.lister().get_after({"web", "a"}, "12"));
            co_await kubecoro::finish_despite_cancellation();
            co_await of->informers->stop();
            if (!got) co_return got.error();
            co_return kubecoro::result<>{};
        };
        return kt::scenario{body(s, pods), s};
    };
    CHECK(kt::cancel_after_every_step(make).value() > 5);
}
