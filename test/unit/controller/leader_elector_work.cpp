// The work of a leader: when it begins, how it ends, and what is awaited.
#include "election_fixture.hpp"

#include <kubecoro/base/timeout.hpp>
#include <kubecoro/cache/informer_factory.hpp>

#include <stdexcept>

using namespace election_test;

namespace {

using untyped::pod;

/// Work that takes its time to end once it is cancelled.
asio::awaitable<result<>> slow_to_end(time_source& time, duration takes, bool& working)
{
    co_await finish_despite_cancellation();
    working = true;
    co_await sleep_for(time, 24h);
    co_await sleep_for(time, takes);
    working = false;
    co_return failure(cond::cancelled);
}

} // namespace

TEST_CASE("leader elector work: work that ends by itself ends the term, with its outcome, and the lease is released",
          "[election]")
{
    fixture f;
    candidate a(f.api, "a");
    int runs = 0;
    auto fails = [&](leadership) -> asio::awaitable<result<>> {
        ++runs;
        co_return failure(cond::invalid, "the work is impossible");
    };
    auto outcome = f.run.run(a.elector.run(fails));
    REQUIRE(!outcome.has_value());
    CHECK(outcome.error() == cond::invalid);
    CHECK(f.api.holder().empty());

    auto throws = [&](leadership) -> asio::awaitable<result<>> {
        ++runs;
        throw std::runtime_error("out of luck");
        co_return result<>{};
    };
    outcome = f.run.run(a.elector.run(throws));
    REQUIRE(!outcome.has_value());
    CHECK(outcome.error() == cond::internal);
    CHECK(f.run
              .run(a.elector.run([&](leadership) -> asio::awaitable<result<>> {
                  ++runs;
                  co_return result<>{};
              }))
              .has_value());
    CHECK(runs == 3);
    CHECK(f.api.number("spec.leaseTransitions") == 2);
}

TEST_CASE(
    "leader elector work: ReleaseOnCancellation: the lease is renewed until the work has ended, and released after it",
    "[election]")
{
    fixture f;
    candidate a(f.api, "a");
    bool working = false;
    auto running = f.run.spawn(a.elector.run([&](leadership) { return slow_to_end(f.run.clock(), 100s, working); }));
    f.time_until([&] { return working; });
    auto stopping = f.run.spawn(a.elector.stop());
    f.run.advance(24s);
    CHECK(a.elector.stats().phase == leader_phase::ending);
    f.run.advance(2s); // the grace period is over: it is cancelled, and takes its time
    f.run.advance(90s);
    CHECK(working);
    CHECK(f.api.holder() == "a");
    CHECK(a.elector.leads());
    CHECK(!stopping.done());
    f.time_until([&] { return stopping.done() && running.done(); });
    CHECK(!working);
    CHECK(f.api.holder().empty());
}

TEST_CASE("leader elector work: a leader that cannot renew cancels its work before its lease expires, and awaits it",
          "[election]")
{
    fixture f;
    candidate a(f.api, "a");
    bool working = false;
    auto running = f.run.spawn(a.elector.run([&](leadership l) {
        a.terms.push_back(l);
        return slow_to_end(f.run.clock(), 30s, working);
    }));
    f.time_until([&] { return working; });
    f.run.advance(20s);
    CHECK(a.terms[0].check().has_value());
    a.plan->set_down(true);
    const auto since = a.elector.stats().since_renewal;
    CHECK(f.time_until([&] { return a.elector.stats().phase == leader_phase::lost; }) == 10s - since);
    CHECK(!a.elector.leads());
    CHECK(a.terms[0].check().error() == cond::timed_out);
    CHECK(f.run.run(a.terms[0].ending()).error() == cond::timed_out);
    CHECK(a.numbers->value("leader_election_master_status") == 0);
    CHECK(working);
    CHECK(a.elector.healthy().has_value());
    f.run.advance(6s); // the lease has expired
    CHECK(!a.elector.healthy().has_value());
    CHECK(a.elector.healthy(60s).has_value());
    CHECK(!running.done());
    f.time_until([&] { return running.done(); });
    CHECK(!working);
    CHECK(running.outcome().error() == cond::timed_out);
    CHECK(a.elector.healthy().has_value());
    a.plan->set_down(false);
    a.start(f.run); // once more
    f.time_until([&] { return a.working; });
    f.end(a);
}

TEST_CASE("leader elector work: another holder in the lease ends the work at once", "[election]")
{
    fixture f;
    candidate a(f.api, "a");
    a.start(f.run);
    f.time_until([&] { return a.working; });
    REQUIRE(f.run
                .run(f.api.connect(a.plan).patch(lease::resource(), "default", "janitor", patch_kind::merge,
                                                 R"({"spec":{"holderIdentity":"b"}})"))
                .has_value());
    CHECK(f.time_until([&] { return a.running.done(); }) <= 2s);
    CHECK(a.running.outcome().error() == cond::conflict);
    CHECK(f.api.holder() == "b");
}

TEST_CASE("leader elector work: a check fails as soon as the last renewal is too long ago, by the work's own clock",
          "[election]")
{
    fixture f;
    candidate a(f.api, "a");
    a.start(f.run);
    f.time_until([&] { return a.working; });
    CHECK(a.terms[0].check().has_value());
    f.run.clock().advance(11s); // the process was stopped, and nothing else has run yet
    CHECK(a.terms[0].check().error() == cond::timed_out);
    CHECK(!a.elector.leads());
    f.end(a);
}

TEST_CASE("leader elector work: cancelling run() cancels the work, awaits it and releases", "[election]")
{
    fixture f;
    candidate a(f.api, "a");
    bool working = false;
    auto running = f.run.spawn(a.elector.run([&](leadership) { return slow_to_end(f.run.clock(), 5s, working); }));
    f.time_until([&] { return working; });
    running.cancel();
    f.run.advance(4s);
    CHECK(!running.done());
    f.time_until([&] { return running.done(); });
    CHECK(running.outcome().error() == cond::cancelled);
    CHECK(!working);
    CHECK(f.api.holder().empty());
}

TEST_CASE("leader elector work: a controller runs while it leads, and its runs end before the lease is released",
          "[election]")
{
    fixture f;
    candidate a(f.api, "a");
    informer_factory informers(f.api.connect(a.plan));
    auto pods = informers.get<pod>();
    std::vector<std::string> runs;
    auto reconcile = [&](const object_key& key, reconcile_context& context) -> asio::awaitable<result<action>> {
        runs.push_back("begin " + key.name);
        co_await finish_despite_cancellation();
        const auto slept = co_await sleep_for(f.run.clock(), 3s);
        runs.push_back(slept ? "end" : "cancelled");
        CHECK(a.elector.stats().phase != leader_phase::idle);
        CHECK(!context.log().enabled(log_level::trace));
        co_return action::done();
    };
    controller<object> shop(f.run.executor(), reconcile,
                            {.name = "shop", .time = f.run.shared_clock(), .log = logger::silent()});
    shop.watch(pods, enqueue_object());
    informers.start(); // warm: before the leadership
    REQUIRE(f.run.run(pods.has_synced()).has_value());
    const auto put = [&](const std::string& name) {
        const auto body = R"({"metadata":{"name":")" + name + R"("},"spec":{"containers":[{"name":"c","image":"i"}]}})";
        REQUIRE(f.run.run(f.api.server.execute("POST", "/api/v1/namespaces/default/pods", body)).has_value());
    };
    put("p");
    auto running = f.run.spawn(a.elector.run([&](leadership l) { return l.run(shop); }));
    f.time_until([&] { return !runs.empty(); });
    CHECK(a.elector.leads());
    SECTION("a stop lets the run finish")
    {
        REQUIRE(f.run.run(a.elector.stop()).has_value());
        CHECK(runs == std::vector<std::string>{"begin p", "end"});
        CHECK(running.outcome().has_value());
    }
    SECTION("a loss cancels it")
    {
        REQUIRE(f.run
                    .run(f.api.connect(a.plan).patch(lease::resource(), "default", "janitor", patch_kind::merge,
                                                     R"({"spec":{"holderIdentity":"b"}})"))
                    .has_value());
        f.time_until([&] { return running.done(); });
        CHECK(runs == std::vector<std::string>{"begin p", "cancelled"});
        CHECK(running.outcome().error() == cond::conflict);
    }
    SECTION("a cancellation cancels it")
    {
        running.cancel();
        f.time_until([&] { return running.done(); });
        CHECK(runs == std::vector<std::string>{"begin p", "cancelled"});
    }
    CHECK(shop.stats().phase == controller_phase::stopped);
    CHECK(shop.stats().active == 0);
    static_cast<void>(f.run.run(informers.stop()));
}

TEST_CASE("leader elector work: a second stop, at once, cuts the grace period", "[election]")
{
    fixture f;
    candidate a(f.api, "a");
    bool working = false;
    auto running = f.run.spawn(a.elector.run([&](leadership) { return slow_to_end(f.run.clock(), 0s, working); }));
    f.time_until([&] { return working; });
    a.elector.request_stop();
    f.run.advance(5s);
    CHECK(working);
    a.elector.request_stop_at_once();
    CHECK(f.time_until([&] { return running.done(); }) < 1s);
    CHECK(running.outcome().has_value());
}

TEST_CASE("leader elector work: cancelled at any step it ends, and leaves no lease behind", "[election]")
{
    struct world
    {
        explicit world(kt::runner& run) : api(run), a(api, "a") {}
        cluster api;
        candidate a;
    };
    std::shared_ptr<world> last;
    const auto tried = kt::cancel_after_every_step(
        [&](kt::runner& run) {
            auto w = std::make_shared<world>(run);
            last = w;
            auto body = [](world& in) -> asio::awaitable<result<>> {
                co_return co_await in.a.elector.run(
                    [&in](leadership) { return sleep_for(*in.api.run.shared_clock(), 5s); });
            };
            return kt::scenario{body(*w), w};
        },
        [&](const result<>&) {
            CHECK(last->a.elector.stats().phase == leader_phase::idle);
            last.reset();
        });
    REQUIRE(tried.has_value());
    CHECK(*tried > 10);
}

TEST_CASE("leader elector work: destroyed at any step it leaves nothing behind", "[election]")
{
    struct world
    {
        explicit world(kt::runner& run) : api(run), a(api, "a") {}
        cluster api;
        candidate a;
    };
    const auto tried = kt::stop_after_every_step([](kt::runner& run) {
        auto w = std::make_shared<world>(run);
        auto body = [](world& in) -> asio::awaitable<result<>> {
            co_return co_await in.a.elector.run(
                [&in](leadership) { return sleep_for(*in.api.run.shared_clock(), 5s); });
        };
        return kt::scenario{body(*w), w};
    });
    REQUIRE(tried.has_value());
    CHECK(*tried > 10);
}

TEST_CASE("leader elector: destroyed while it runs it says so, cancels the work and ends", "[election]")
{
    fixture f;
    kt::recording_logger log;
    auto plan = std::make_shared<kt::fault_plan>();
    bool working = false;
    {
        leader_elector elector(f.run.executor(), f.api.connect(plan), {.lease = "janitor", .log = log.handle()});
        auto running = f.run.spawn(elector.run([&](leadership) { return slow_to_end(f.run.clock(), 3s, working); }));
        f.time_until([&] { return working; });
    }
    CHECK(log.count("destroyed while running") == 1);
    f.run.advance(10s);
    CHECK(!working);
    CHECK(f.api.holder().empty());
}
