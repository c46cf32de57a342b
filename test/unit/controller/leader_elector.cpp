// Candidates against an embedded server: who leads, when, and what is seen of it.
#include "election_fixture.hpp"

#include <algorithm>

using namespace election_test;

TEST_CASE("leader elector: TryAcquireOrRenewLeases: creates the lease, leads, renews, and releases it at the stop",
          "[election]")
{
    fixture f;
    candidate a(f.api, "a");
    a.start(f.run);
    f.time_until([&] { return a.working; });
    CHECK(a.elector.leads());
    CHECK(f.api.holder() == "a");
    const auto made = f.api.get();
    CHECK(made.path("spec.leaseDurationSeconds").as_int64() == 15);
    CHECK(made.path("spec.leaseTransitions").as_int64(-1) == 0);
    CHECK(made.path("spec.acquireTime").as_string() == made.path("spec.renewTime").as_string());
    CHECK(a.numbers->value("leader_election_master_status", {{"name", "janitor"}}) == 1);

    f.run.advance(60s);
    const auto renewed = f.api.get();
    CHECK(renewed.path("spec.acquireTime").as_string() == made.path("spec.acquireTime").as_string());
    CHECK(renewed.path("spec.renewTime").as_string() > made.path("spec.renewTime").as_string());
    CHECK(a.elector.stats().since_renewal <= 2s);
    // Renewals are writes alone: a get, a create, and a write every two seconds.
    CHECK(a.plan->so_far().requests <= 34);
    CHECK(a.numbers->value("leader_election_slowpath_total") == 0);

    f.end(a);
    REQUIRE(a.running.done());
    CHECK(a.running.outcome().has_value());
    CHECK(!a.working);
    CHECK(f.api.holder().empty());
    CHECK(f.api.number("spec.leaseDurationSeconds") == 1);
    CHECK(a.numbers->value("leader_election_master_status", {{"name", "janitor"}}) == 0);
    CHECK(a.events == std::vector<std::string>{"new a", "started", "stopped"});
    CHECK(a.elector.stats().phase == leader_phase::idle);
}

TEST_CASE("leader elector: after a release another candidate leads within a second", "[election]")
{
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        fixture f(seed);
        candidate a(f.api, "a");
        candidate b(f.api, "b");
        a.start(f.run);
        f.time_until([&] { return a.working; });
        b.start(f.run);
        f.run.advance(20s);
        CHECK(!b.working);
        f.end(a);
        CHECK(f.time_until([&] { return b.working; }) < 1s);
        CHECK(b.terms.at(0).transitions() == 1);
        CHECK(b.terms.at(0).fencing_token() > a.terms.at(0).fencing_token());
        CHECK(b.events == std::vector<std::string>{"new a", "new b", "started"});
        f.end(b);
    }
}

TEST_CASE("leader elector: after a death another candidate leads within the lease duration and a second", "[election]")
{
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        fixture f(seed);
        candidate b(f.api, "b");
        {
            candidate a(f.api, "a");
            a.start(f.run);
            f.time_until([&] { return a.working; });
            b.start(f.run);
            f.run.advance(20s);
            a.plan->set_down(true);
            const auto takes = f.time_until([&] { return b.working; });
            CHECK(takes <= 16s);
            CHECK(takes > 12s); // not before the lease has expired
            CHECK(!a.working);
            f.end(a);
        }
        f.end(b);
    }
}

TEST_CASE("leader elector: without the permission to watch it reads from time to time", "[election]")
{
    fixture f;
    candidate a(f.api, "a");
    candidate b(f.api, "b");
    kt::fault_plan::rule no_watch{.what = kt::fault::status_answer(403, "Forbidden"), .target = "watch=", .times = 0};
    b.plan->add(no_watch);
    a.start(f.run);
    f.time_until([&] { return a.working; });
    b.start(f.run);
    f.run.advance(60s);
    CHECK(b.log.count("cannot be watched") == 1);
    f.end(a);
    CHECK(f.time_until([&] { return b.working; }) < 5s);
    f.end(b);
}

TEST_CASE("leader elector: a broken watch is opened again", "[election]")
{
    fixture f;
    candidate a(f.api, "a");
    candidate b(f.api, "b");
    a.start(f.run);
    f.time_until([&] { return a.working; });
    b.start(f.run);
    f.run.advance(10s);
    b.plan->cut_open();
    f.run.advance(60s);
    f.end(a);
    CHECK(f.time_until([&] { return b.working; }) < 1s);
    f.end(b);
}

TEST_CASE("leader elector: candidates whose watches broke together do not open them again together", "[election]")
{
    fixture f;
    candidate leader(f.api, "leader");
    leader.start(f.run);
    f.time_until([&] { return leader.working; });
    // As in programs: no seed is given.
    struct other
    {
        std::shared_ptr<kt::fault_plan> plan = std::make_shared<kt::fault_plan>();
        leader_elector elector;
        kt::task<void> running;
        std::vector<int> attempts = {};

        other(fixture& of, const std::string& identity)
            : elector(of.run.executor(), of.api.connect(plan), {.lease = "janitor", .identity = identity})
        {
            plan->add({.what = kt::fault::status_answer(503, "ServiceUnavailable"), .target = "watch=", .times = 0});
            running = of.run.spawn(elector.run([](const leadership& l) { return l.ending(); }));
        }
    };
    other a(f, "a");
    other b(f, "b");
    for (int ms = 0; ms < 60'000; ++ms) {
        f.run.advance(1ms);
        for (auto* o : {&a, &b})
            while (o->attempts.size() < o->plan->so_far().faults) o->attempts.push_back(ms);
    }
    CHECK(a.attempts.size() > 2);
    CHECK(a.attempts != b.attempts);
    for (auto* o : {&a, &b}) static_cast<void>(f.run.run(o->elector.stop()));
    f.end(leader);
}

TEST_CASE("leader elector: a watch is opened again after credentials that were not accepted", "[election]")
{
    fixture f;
    candidate a(f.api, "a");
    candidate b(f.api, "b");
    b.plan->add({.what = kt::fault::status_answer(401, "Unauthorized"), .target = "watch=", .times = 4});
    a.start(f.run);
    f.time_until([&] { return a.working; });
    b.start(f.run);
    f.run.advance(5min);
    CHECK(b.log.count("cannot be watched") == 0);
    f.end(a);
    CHECK(f.time_until([&] { return b.working; }) < 1s);
    f.end(b);
}

TEST_CASE("leader elector: FastPathLeaderElection: a conflict takes a read, which is counted, and nothing is lost",
          "[election]")
{
    fixture f;
    candidate a(f.api, "a");
    a.start(f.run);
    f.time_until([&] { return a.working; });
    auto labelled = f.run.run(f.api.connect(a.plan).patch(lease::resource(), "default", "janitor", patch_kind::merge,
                                                          R"({"metadata":{"labels":{"team":"x"}}})"));
    REQUIRE(labelled.has_value());
    f.run.advance(10s);
    CHECK(a.working);
    CHECK(a.numbers->value("leader_election_slowpath_total", {{"name", "janitor"}}) == 1);
    CHECK(f.api.text("metadata.labels.team") == "x");
    f.end(a);
}

TEST_CASE("leader elector: LabelUpdate: labels are set on the lease, and others stay", "[election]")
{
    fixture f;
    candidate a(f.api, "a", {.labels = {{"app", "janitor"}}});
    a.start(f.run);
    f.time_until([&] { return a.working; });
    CHECK(f.api.text("metadata.labels.app") == "janitor");
    f.end(a);
}

TEST_CASE("leader elector: leaders and the beginning of the leadership can be awaited", "[election]")
{
    fixture f;
    candidate a(f.api, "a");
    candidate b(f.api, "b");
    auto leads = f.run.spawn(b.elector.leading());
    auto first = f.run.spawn(b.elector.new_leader());
    a.start(f.run);
    f.time_until([&] { return a.working; });
    b.start(f.run);
    f.time_until([&] { return first.done(); });
    CHECK(*first.outcome() == "a");
    CHECK(!leads.done());
    auto second = f.run.spawn(b.elector.new_leader("a"));
    f.end(a);
    f.time_until([&] { return second.done() && leads.done(); });
    CHECK(*second.outcome() == "b");
    CHECK(leads.outcome().has_value());
    CHECK(*f.run.run(a.elector.new_leader()) == "a"); // the last one it saw

    auto never = f.run.spawn(b.elector.new_leader("b"));
    f.end(b);
    f.run.run_until_idle();
    REQUIRE(never.done());
    CHECK(never.outcome().error() == cond::cancelled);
    CHECK(f.run.run(b.elector.leading()).error() == cond::cancelled);
    CHECK(f.run.run(b.elector.run([](leadership) -> asio::awaitable<result<>> { co_return failure(cond::internal); }))
              .has_value()); // stopped for good
}

TEST_CASE("leader elector: fencing tokens grow, also when the lease is deleted", "[election]")
{
    fixture f;
    std::uint64_t last = 0;
    for (int i = 0; i < 5; ++i) {
        candidate a(f.api, "a" + std::to_string(i));
        a.start(f.run);
        f.time_until([&] { return a.working; });
        CHECK(a.terms.at(0).fencing_token() > last);
        CHECK(!a.terms.at(0).lease_uid().empty());
        last = a.terms.at(0).fencing_token();
        f.end(a);
        if (i % 2 == 0)
            REQUIRE(f.run.run(f.api.connect(a.plan).remove(lease::resource(), "default", "janitor")).has_value());
    }
}

TEST_CASE("leader elector: a callback that throws is logged, and the election goes on", "[election]")
{
    fixture f;
    leader_election_options o;
    o.on_new_leader = [](const std::string&) { throw std::runtime_error("no"); };
    candidate a(f.api, "a", o);
    a.start(f.run);
    f.time_until([&] { return a.working; });
    CHECK(a.log.count("a callback of a leader election threw") == 1);
    f.end(a);
}

TEST_CASE("leader elector: CreateError, GetError: requests that fail are repeated, and said once", "[election]")
{
    fixture f;
    candidate a(f.api, "a");
    kt::fault_plan::rule forbidden{.what = kt::fault::status_answer(403, "Forbidden"), .target = "leases", .times = 0};
    a.plan->add(forbidden);
    a.start(f.run);
    f.run.advance(120s);
    CHECK(a.elector.stats().phase == leader_phase::candidate);
    REQUIRE(a.elector.stats().trouble.has_value());
    CHECK(*a.elector.stats().trouble == cond::forbidden);
    CHECK(a.elector.describe().find("forbidden") != std::string::npos);
    CHECK(a.log.count("requests for a lease fail") == 1);
    a.plan->clear();
    CHECK(f.time_until([&] { return a.working; }) < 5s);
    CHECK(a.log.count("succeed again") == 1);
    f.end(a);
}

TEST_CASE("leader elector: options that contradict each other are a failure of run()", "[election]")
{
    fixture f;
    candidate a(f.api, "a", {.lease_duration = 10s});
    a.start(f.run);
    f.run.run_until_idle();
    REQUIRE(a.running.done());
    CHECK(a.running.outcome().error() == cond::misconfigured);
    CHECK(a.plan->so_far().requests == 0);
}

TEST_CASE("leader elector: one run() at a time", "[election]")
{
    fixture f;
    candidate a(f.api, "a");
    a.start(f.run);
    auto second = f.run.run(a.elector.run([](leadership) -> asio::awaitable<result<>> { co_return result<>{}; }));
    REQUIRE(!second.has_value());
    CHECK(second.error() == cond::misconfigured);
    f.time_until([&] { return a.working; });
    f.end(a);
}

TEST_CASE("leader elector: the lease of a namespace of its own, with a random identity", "[election]")
{
    fixture f;
    REQUIRE(
        f.run.run(f.api.server.execute("POST", "/api/v1/namespaces", R"({"metadata":{"name":"ops"}})")).has_value());
    auto plan = std::make_shared<kt::fault_plan>();
    leader_elector elector(f.run.executor(), f.api.connect(plan), {.lease = "janitor", .ns = "ops"});
    auto running = f.run.spawn(elector.run([](leadership l) { return l.ending(); }));
    REQUIRE(f.run.run(elector.leading()).has_value());
    auto made = f.run.run(f.api.connect(plan).get(lease::resource(), "ops", "janitor"));
    REQUIRE(made.has_value());
    CHECK(made->path("spec.holderIdentity").as_string() == elector.identity());
    CHECK(elector.identity().find('_') != std::string::npos);
    CHECK(f.run.run(elector.stop()).has_value());
    CHECK(f.run.run(elector.stop()).has_value());
}

TEST_CASE("leader elector: two with the same seed on one host do not take each other for themselves", "[election]")
{
    fixture f;
    auto plan = std::make_shared<kt::fault_plan>();
    const leader_election_options same{.lease = "janitor", .seed = 7};
    leader_elector first(f.run.executor(), f.api.connect(plan), same);
    leader_elector second(f.run.executor(), f.api.connect(plan), same);
    CHECK(first.identity() != second.identity());
    int leaders = 0;
    for (auto* elector : {&first, &second})
        (void)f.run.spawn(elector->run([&leaders](leadership l) {
            ++leaders;
            return l.ending();
        }));
    f.run.advance(30s);
    CHECK(leaders == 1);
    for (auto* elector : {&first, &second}) CHECK(f.run.run(elector->stop()).has_value());
}

TEST_CASE("leader elector: a hostile lease is waited for like any other", "[election]")
{
    fixture f;
    const auto huge = std::string(300'000, 'h');
    const auto body =
        R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"janitor","namespace":"default"},
        "spec":{"holderIdentity":")" +
        huge + R"(","leaseDurationSeconds":20,"renewTime":"9999-12-31T23:59:59.000000Z"}})";
    auto plan = std::make_shared<kt::fault_plan>();
    REQUIRE(f.run.run(f.api.connect(plan).create(lease::resource(), "default", body)).has_value());
    candidate a(f.api, "a");
    a.start(f.run);
    const auto took = f.time_until([&] { return a.working; });
    CHECK(took >= 20s);
    CHECK(took < 21s);
    CHECK(a.terms.at(0).transitions() == 1);
    for (const auto& line : a.log.lines()) CHECK(line.size() < 1000);
    f.end(a);
}

TEST_CASE("leader elector: a lease whose holder changes all the time does not fill the log", "[election]")
{
    fixture f;
    auto other = f.api.connect(std::make_shared<kt::fault_plan>());
    REQUIRE(f.run
                .run(other.create(lease::resource(), "default",
                                  R"({"metadata":{"name":"janitor"},"spec":{"leaseDurationSeconds":3600}})"))
                .has_value());
    candidate a(f.api, "a");
    a.start(f.run);
    const auto hold = [&](int by) {
        const auto body = R"({"spec":{"holderIdentity":"h)" + std::to_string(by) + R"("}})";
        REQUIRE(f.run.run(other.patch(lease::resource(), "default", "janitor", patch_kind::merge, body)).has_value());
        f.run.advance(100ms);
    };
    for (int i = 0; i < 50; ++i) hold(i);
    CHECK(a.events.size() == 50);
    CHECK(a.log.count("new leader") == 10);
    CHECK(a.log.count("leader=h49") == 0);
    f.run.advance(70s);
    CHECK(a.log.count("new leader") == 11);
    CHECK(a.log.count("leader=h49") == 1);
    CHECK(a.log.count("lines like the next one were left out lines=39") == 1);
    f.end(a);
}

TEST_CASE("leader elector: five candidates, one leader at a time, each in its turn", "[election]")
{
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        fixture f(seed);
        std::vector<std::unique_ptr<candidate>> all;
        for (int i = 0; i < 5; ++i) all.push_back(std::make_unique<candidate>(f.api, std::string(1, char('a' + i))));
        for (auto& c : all) c->start(f.run);
        for (int i = 0; i < 5; ++i) {
            const auto leader = [&] {
                const auto working = [](const auto& c) { return c->working; };
                CHECK(std::count_if(all.begin(), all.end(), working) <= 1);
                return std::find_if(all.begin(), all.end(), working);
            };
            f.time_until([&] { return leader() != all.end(); });
            f.end(**leader());
        }
        for (auto& c : all) CHECK(c->terms.size() == 1);
    }
}
