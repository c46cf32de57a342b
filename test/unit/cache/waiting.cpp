// Tests of waits for the state of an object and for an event, and of reading events by a function.

#include "synced_fixture.hpp"

#include <kubecoro/test/scripted_informers.hpp>
#include <kubecoro/testing/every_step.hpp>

#include <boost/asio/awaitable.hpp>

#include <stdexcept>

namespace asio = boost::asio;
using namespace informer_test;
using kubecoro::cond;
using kubecoro::notification;
using kubecoro::object;
using kubecoro::object_condition;
using kubecoro::result;
namespace conditions = kubecoro::conditions;

namespace {

object_condition version_is(std::string v)
{
    return {"at version " + v, [v](const object& o) { return o.resource_version() == v; }};
}

std::string ready(std::string_view status, std::string_view reason)
{
    return R"("status":{"phase":"Pending","conditions":[{"type":"Ready","status":")" + std::string(status) +
           R"(","reason":")" + std::string(reason) + R"("}]})";
}

kubecoro::watch_event pod_with(std::string name, std::string version, std::string members)
{
    return kt::modified(kt::make_object({.ns = "web",
                                         .name = std::move(name),
                                         .resource_version = std::move(version),
                                         .labels = {},
                                         .members = std::move(members)}));
}

} // namespace

// client-go: Until, UntilWithSync
TEST_CASE("wait_for: completes at once when the condition is met, else when it becomes met", "[cache][wait]")
{
    synced_fixture f;
    f.start();
    const auto now = f.run.run(f.pods.wait_for({"web", "a"}, conditions::exists()));
    REQUIRE(now);
    CHECK(now->resource_version() == "1");
    auto later = f.run.spawn(f.pods.wait_for({"web", "a"}, version_is("7"), 30s));
    auto gone = f.run.spawn(f.pods.wait_for({"web", "b"}, conditions::deleted(), 30s));
    f.modify("a", 6);
    f.settle();
    CHECK_FALSE(later.done());
    f.modify("a", 7);
    f.watch.send(kt::deleted(kt::make_pod("web", "b", "8")));
    f.settle();
    REQUIRE(later.done());
    CHECK(later.outcome()->resource_version() == "7");
    REQUIRE(gone.done());
    REQUIRE(gone.outcome());
    CHECK_FALSE(*gone.outcome());
}

// client-go: UntilMultipleConditions
TEST_CASE("wait_for: no intermediate state is missed", "[cache][wait]")
{
    synced_fixture f;
    f.start();
    auto brief = f.run.spawn(f.pods.wait_for({"web", "a"}, version_is("6")));
    auto flash = f.run.spawn(f.pods.wait_for({"web", "c"}, conditions::exists()));
    auto replaced = f.run.spawn(f.pods.wait_for({"web", "b"}, conditions::deleted()));
    f.settle();
    f.watch.send({kt::modified(kt::make_pod("web", "a", "6")), kt::modified(kt::make_pod("web", "a", "7")),
                  kt::added(kt::make_pod("web", "c", "8")), kt::deleted(kt::make_pod("web", "c", "9")),
                  kt::deleted(kt::make_pod("web", "b", "10")), kt::added(kt::make_pod("web", "b", "11"))});
    f.settle();
    CHECK(brief.done());
    CHECK(flash.done());
    CHECK(replaced.done());
}

TEST_CASE("wait_for: before the store is filled presence counts, absence does not", "[cache][wait]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    auto gone = f.run.spawn(pods.wait_for({"web", "a"}, conditions::deleted()));
    auto nothing = f.run.spawn(pods.wait_for({"web", "x"}, conditions::deleted()));
    auto there = f.run.spawn(pods.wait_for({"web", "a"}, conditions::exists()));
    f.settle();
    CHECK_FALSE(nothing.done());
    auto watch = f.with_one_pod();
    f.informers->start();
    f.settle();
    CHECK(nothing.done());
    CHECK(there.done());
    CHECK_FALSE(gone.done());
    watch.send(kt::deleted(kt::make_pod("web", "a", "6")));
    f.settle();
    CHECK(gone.done());
}

// client-go: UntilTimeout
TEST_CASE("wait_for: a timeout describes the last seen state", "[cache][wait]")
{
    synced_fixture f;
    f.start();
    auto waiting = f.run.spawn(f.pods.wait_for({"web", "a"}, conditions::pod_ready(), 30s));
    auto absent = f.run.spawn(f.pods.wait_for({"web", "x"}, conditions::pod_ready(), 1500ms));
    f.watch.send(pod_with("a", "6", ready("False", "ContainersNotReady")));
    f.run.advance(29s);
    REQUIRE(absent.done());
    CHECK(absent.outcome().error() == cond::timed_out);
    CHECK(absent.outcome().error().message() == "web/x is not ready after 1500 ms, last seen: absent");
    CHECK_FALSE(waiting.done());
    f.run.advance(1s);
    REQUIRE(waiting.done());
    CHECK(waiting.outcome().error() == cond::timed_out);
    CHECK(waiting.outcome().error().message() ==
          "web/a is not ready after 30 s, last seen: web/a at version 6, phase Pending, Ready=False "
          "(ContainersNotReady)");
}

TEST_CASE("wait_for: deadlines expire in their order, whatever the order of the waits", "[cache][wait]")
{
    synced_fixture f;
    f.start();
    std::vector<kt::task<object>> waits;
    for (const int s : {30, 10, 20, 5, 40})
        waits.push_back(f.run.spawn(f.pods.wait_for({"web", "x"}, conditions::exists(), std::chrono::seconds(s))));
    const auto ended = [&] {
        std::string out;
        for (const auto& w : waits) out += w.done() ? 'x' : '.';
        return out;
    };
    f.run.advance(5s);
    CHECK(ended() == "...x.");
    f.run.advance(15s);
    CHECK(ended() == ".xxx.");
    waits.push_back(f.run.spawn(f.pods.wait_for({"web", "x"}, conditions::exists(), 1s)));
    f.run.advance(1s);
    CHECK(ended() == ".xxx.x");
    f.run.advance(19s);
    CHECK(ended() == "xxxxxx");
}

TEST_CASE("wait_for: a limit of duration::max() never expires, and one that has passed ends at once", "[cache][wait]")
{
    constexpr auto for_ever = kubecoro::duration::max();
    synced_fixture f;
    f.start();
    auto state = f.run.spawn(f.pods.wait_for({"web", "x"}, conditions::exists(), for_ever));
    auto event = f.run.spawn(
        f.pods.wait_for_any([](const notification<object>& n) { return object_of(n).name() == "x"; }, for_ever));
    CHECK(f.run.run(f.pods.wait_for({"web", "x"}, conditions::exists(), -1s)).error() == cond::timed_out);
    f.run.advance(4min);
    CHECK_FALSE(state.done());
    CHECK_FALSE(event.done());
    f.watch.send(kt::added(kt::make_pod("web", "x", "6")));
    f.settle();
    CHECK(state.outcome().has_value());
    CHECK(event.outcome().has_value());
}

TEST_CASE("wait_for: a timeout before the first sync says so", "[cache][wait]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    const auto waited = f.run.run(pods.wait_for({"web", "a"}, conditions::exists(), 2s));
    REQUIRE_FALSE(waited);
    CHECK(waited.error().message() == "web/a is not present after 2 s, last seen: nothing, not synced yet");
}

// client-go: UntilErrorCondition, UntilMultipleConditionsFail
TEST_CASE("wait_for: a condition that fails or throws ends the wait with that", "[cache][wait]")
{
    synced_fixture f;
    f.start();
    const object_condition hopeless(
        "hopeful", [](const object&) -> result<bool> { return kubecoro::failure(cond::conflict, "it cannot be met"); });
    const auto failed = f.run.run(f.pods.wait_for({"web", "a"}, hopeless));
    REQUIRE_FALSE(failed);
    CHECK(failed.error() == cond::conflict);
    const auto thrown =
        f.run.run(f.pods.wait_for({"web", "a"}, [](const object&) -> bool { throw std::runtime_error("no idea"); }));
    REQUIRE_FALSE(thrown);
    CHECK(thrown.error() == cond::internal);
}

TEST_CASE("wait_for: a failure that blocks the store ends the wait, and so does the stop", "[cache][wait]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    f.source().on_list(kt::server_failure(403, "Forbidden", "not you"));
    auto early = f.run.spawn(pods.wait_for({"web", "a"}, conditions::exists()));
    f.informers->start();
    f.settle();
    REQUIRE(early.done());
    CHECK(early.outcome().error() == cond::forbidden);
    CHECK(f.run.run(pods.wait_for({"web", "a"}, conditions::exists())).error() == cond::forbidden);
    f.source().on_list(kt::make_page({}, "5"));
    auto watch = f.source().on_watch();
    REQUIRE(f.run.run_until([&] { return pods.synced(); }));
    auto waiting = f.run.spawn(pods.wait_for({"web", "a"}, conditions::exists(), 1h));
    f.settle();
    CHECK_FALSE(waiting.done());
    REQUIRE(f.run.run(f.informers->stop()));
    f.settle();
    REQUIRE(waiting.done());
    CHECK(waiting.outcome().error() == cond::cancelled);
    CHECK(f.run.run(pods.wait_for({"web", "a"}, conditions::exists(), 1h)).error() == cond::cancelled);
}

TEST_CASE("wait_for: each namespace counts by itself, as soon as it was listed", "[cache][wait]")
{
    fixture f;
    auto pods = f.informers->get<pod>({.namespaces = {"web", "jobs"}});
    f.source("web").on_list(kt::make_page({kt::make_pod("web", "a", "1")}, "5"));
    auto watch = f.source("web").on_watch();
    f.source("jobs").on_list(kt::server_failure(403, "Forbidden", "not you"));
    auto web = f.run.spawn(pods.wait_for({"web", "x"}, conditions::deleted(), 1h));
    auto jobs = f.run.spawn(pods.wait_for({"jobs", "x"}, conditions::deleted(), 1h));
    auto other = f.run.spawn(pods.wait_for({"shop", "x"}, conditions::deleted(), 1h));
    f.informers->start();
    f.settle();
    REQUIRE(web.done());
    CHECK(web.outcome());
    REQUIRE(jobs.done());
    CHECK(jobs.outcome().error() == cond::forbidden);
    REQUIRE(other.done());
    CHECK(other.outcome().error() == cond::misconfigured);
    auto left = f.run.spawn(pods.wait_for({"web", "a"}, conditions::deleted(), 1h));
    f.settle();
    CHECK_FALSE(left.done());
    auto leaving = f.run.spawn(pods.remove_namespace("web"));
    f.settle();
    REQUIRE(left.done());
    CHECK(left.outcome().error() == cond::cancelled); // not reported as deleted
}

TEST_CASE("wait_for: a thousand waits, cancelled or completed, are released", "[cache][wait]")
{
    synced_fixture f;
    f.start();
    std::vector<kt::task<object>> waits;
    for (int i = 0; i < 1000; ++i)
        waits.push_back(f.run.spawn(f.pods.wait_for({"web", "p" + std::to_string(i % 50)}, conditions::exists(), 1h)));
    f.settle();
    for (int i = 0; i < 1000; i += 2) waits[static_cast<std::size_t>(i)].cancel();
    f.settle();
    for (int i = 0; i < 50; ++i)
        f.watch.send(kt::added(kt::make_pod("web", "p" + std::to_string(i), std::to_string(10 + i))));
    f.settle();
    std::size_t answered = 0;
    for (const auto& w : waits) {
        REQUIRE(w.done());
        answered += w.outcome() ? 1 : 0;
    }
    CHECK(answered == 500);
    CHECK(f.pods.stats().handlers.empty());
}

// client-go: NewInformerWatcher, InformerWatcherDeletedFinalStateUnknown
TEST_CASE("wait_for_any: returns the first event that meets the condition, stored objects first", "[cache][wait]")
{
    synced_fixture f;
    f.start();
    const auto initial = f.run.run(
        f.pods.wait_for_any([](const notification<object>& n) { return kubecoro::object_of(n).name() == "b"; }));
    REQUIRE(initial);
    CHECK(std::get<kubecoro::added<object>>(*initial).initial);
    auto lost = f.run.spawn(f.pods.wait_for_any(
        [](const notification<object>& n) {
            const auto* d = std::get_if<kubecoro::deleted<object>>(&n);
            return d && d->final_state_unknown;
        },
        30s, {.initial = false}));
    f.watch.send(kt::error_event(410, "Expired"));
    f.source().on_list(kt::make_page({kt::make_pod("web", "a", "1")}, "10"));
    auto next = f.source().on_watch();
    REQUIRE(f.run.run_until([&] { return lost.done(); }));
    REQUIRE(lost.outcome());
    CHECK(kubecoro::object_of(*lost.outcome()).name() == "b");
    const auto late = f.run.run(f.pods.wait_for_any([](const notification<object>&) { return false; }, 5s));
    REQUIRE_FALSE(late);
    CHECK(late.error() == cond::timed_out);
    CHECK(late.error().message() == "no such event within 5 s");
    const auto thrown = f.run.run(
        f.pods.wait_for_any([](const notification<object>&) -> bool { throw std::runtime_error("no idea"); }));
    CHECK(thrown.error() == cond::internal);
    CHECK(f.pods.stats().handlers.empty());
}

TEST_CASE("subscription: for_each calls a function or a coroutine until the end, or until it fails",
          "[cache][subscription]")
{
    synced_fixture f;
    auto events = f.pods.subscribe();
    f.start();
    int calls = 0;
    const auto second_fails = [&](const notification<object>&) -> asio::awaitable<result<>> {
        if (++calls == 2) co_return kubecoro::failure(cond::conflict, "enough");
        co_return result<>{};
    };
    f.watch.send(kt::added(kt::make_pod("web", "c", "6")));
    CHECK(f.run.run(events.for_each(second_fails)).error() == cond::conflict);
    CHECK(calls == 2);
    // No event after the failure is lost.
    auto rest =
        f.run.spawn(events.for_each([&](const notification<object>& n) { f.seen.push_back(f.text(object_of(n))); }));
    f.settle();
    CHECK(f.take() == lines{"web/c@6"});
    f.modify("c", 7);
    f.settle();
    CHECK(f.take() == lines{"web/c@7"});
    REQUIRE(f.run.run(f.informers->stop()));
    f.settle();
    REQUIRE(rest.done());
    CHECK(rest.outcome().error() == cond::cancelled);
    CHECK(f.run.run(kubecoro::subscription<object>().for_each([](const notification<object>&) {})).error() ==
          cond::misconfigured);
}

TEST_CASE("subscription: without the initial objects it starts with later changes", "[cache][subscription]")
{
    synced_fixture f;
    const bool before_the_start = GENERATE(true, false);
    const bool filtered = GENERATE(false, true);
    if (!before_the_start) f.start();
    std::function<bool(const object&)> not_c;
    if (filtered) not_c = [](const object& o) { return o.name() != "c"; };
    auto events = f.pods.subscribe({.filter = not_c, .initial = false});
    if (before_the_start) f.start();
    REQUIRE(f.run.run(events.has_synced()));
    auto reading = f.run.spawn(events.for_each(
        [&](const notification<object>& n) { std::visit([&](const auto& e) { f.seen.push_back(f.line(e)); }, n); }));
    f.settle();
    CHECK(f.take().empty());
    f.modify("a", 6);
    f.watch.send(kt::added(kt::make_pod("web", "c", "7")));
    f.watch.send(kt::deleted(kt::make_pod("web", "b", "8")));
    f.settle();
    // Objects stored before are not added events, though they were not delivered.
    auto expected = lines{"updated web/a@1 > 6", "added web/c@7", "deleted web/b@8"};
    if (filtered) expected.erase(expected.begin() + 1);
    CHECK(f.take() == expected);
}

TEST_CASE("wait_for and for_each: cancelled and destroyed at every step", "[cache][wait][steps]")
{
    const auto make = [](kt::runner& run) {
        using world = kubecoro::test::scripted_informers;
        auto w = std::make_shared<world>(run);
        auto pods = w->informers->get<pod>();
        auto& source = w->source(pod::resource());
        source.on_list(kt::make_page({kt::make_pod("web", "a", "1")}, "5"));
        auto watch = source.on_watch();
        watch.send({kt::modified(kt::make_pod("web", "a", "6")), kt::deleted(kt::make_pod("web", "a", "7"))});
        const auto body = [](std::shared_ptr<world> in,
                             kubecoro::shared_informer<object> i) -> asio::awaitable<result<>> {
            auto events = i.subscribe();
            in->informers->start();
            if (const auto left = co_await i.wait_for({"web", "a"}, conditions::deleted(), 30s); !left)
                co_return left.error();
            const auto waited = co_await i.wait_for({"web", "a"}, conditions::exists(), 30s);
            if (waited) co_return kubecoro::failure(cond::internal, "it should have timed out");
            if (waited.error() != cond::timed_out) co_return waited.error();
            int more = 3;
            const auto count = [&more](const notification<object>&) -> asio::awaitable<result<>> {
                if (--more == 0) co_return kubecoro::failure(cond::expired, "all seen");
                co_return result<>{};
            };
            if (const auto read = co_await events.for_each(count); read.error() != cond::expired) co_return read;
            co_return co_await in->informers->stop();
        };
        return kt::scenario{body(w, pods), w};
    };
    const auto destroyed = kt::stop_after_every_step(make);
    REQUIRE(destroyed);
    CHECK(*destroyed > 10);
    const auto cancelled = kt::cancel_after_every_step(make, [](const result<>& r) {
        if (!r) CHECK(r.error() == cond::cancelled);
    });
    REQUIRE(cancelled);
}
