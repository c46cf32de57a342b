// A failure of its own ends a controller: at once, visibly, and nothing else with it.
#include "controller_fixture.hpp"

#include <kubecoro/test/allocations.hpp>
#include <kubecoro/test/failing_timers.hpp>

using namespace controller_test;
using kubecoro::test::fail_allocation;

namespace {

/// A key that needs an allocation to be copied: a long one.
std::string long_name(int n) { return std::string(200, 'x') + std::to_string(n); }

struct world : fixture
{
    std::shared_ptr<test::failing_timers> time = std::make_shared<test::failing_timers>(run.shared_clock());

    /// Everything that an operator, and everyone who waits, sees of the end.
    void check_end(const std::string& cause)
    {
        const auto over = run.run(subject->stop());
        REQUIRE_FALSE(over);
        CHECK(over.error() == cond::internal);
        CHECK(over.error().describe().find(cause) != std::string::npos);
        const auto stats = subject->stats();
        CHECK(stats.phase == controller_phase::stopped);
        REQUIRE(stats.ended_by);
        CHECK(describe(stats).find("ended by: internal: ") != std::string::npos);
        CHECK(subject->tasks().empty());
        CHECK(log.count("a loop failed and has ended its owner") == 1);
        CHECK(log.count(log_level::error) == 1);
        CHECK(numbers->value("kubecoro_ended_owners_total", {{"owner", "controller"}, {"name", "subject"}}) == 1);
    }
};

} // namespace

TEST_CASE("controller ends: a timer that throws ends the controller whose loop it was", "[controller][ends]")
{
    world f;
    SECTION("of the queue")
    {
        f.make(plain([](const object_key&, reconcile_context&) -> run_result { return action::requeue_after(1h); }),
               {.time = f.time});
        f.begin();
        f.time->fail();
        f.subject->trigger({"web", "a"});
    }
    SECTION("of the supervisor")
    {
        auto [pods, watch] = f.pods({});
        f.make_noting({.sync_timeout = 1h, .time = f.time});
        f.subject->watch(pods, enqueue_object());
        f.time->fail();
        f.subject->start(); // and not the informers
        CHECK(f.run.run(f.subject->ready()).error() == cond::internal);
    }
    f.settle();
    f.check_end("a broken timer");
}

TEST_CASE("controller ends: with a source whose informer has ended", "[controller][ends]")
{
    world f;
    informer_factory failing(f.provider, {.time = f.time, .log = logger::silent(), .seed = 7});
    f.source<pod>().on_list(kt::make_page({}, "10"));
    auto watch = f.source<pod>().on_watch();
    f.make_noting();
    f.subject->watch(failing.get<pod>(), enqueue_object());
    failing.start();
    f.begin();
    f.time->fail();
    watch.send(kt::error_event(410, "Expired"));
    f.settle();
    f.check_end("a broken timer");
    CHECK(f.run.run(failing.stop()));
}

TEST_CASE("controller ends: an allocation that fails beside a run ends the controller or does no harm",
          "[controller][ends][memory]")
{
    int ended = 0;
    for (std::uint64_t nth = 1; nth <= 12; ++nth) {
        CAPTURE(nth);
        world f;
        int broken_runs = 0;
        const failure why(cond::conflict, std::string(300, 'w'));
        auto& c = f.make(plain([&](const object_key& key, reconcile_context&) -> run_result {
            f.seen.push_back(key.name.substr(0, 1));
            if (key.name != "breaks" || ++broken_runs > 1) return action::done();
            run_result out = why;
            fail_allocation(nth);
            return out;
        }));
        f.begin();
        c.trigger({"web", "breaks"});
        f.settle();
        fail_allocation(0);
        f.run.advance(10s);
        if (c.stats().phase == controller_phase::stopped) {
            ++ended;
            f.check_end("bad_alloc");
            continue;
        }
        CHECK(broken_runs == 2);
        CHECK(c.stats().active == 0);
        CHECK(c.stats().queue.waiting_workers == 1);
        c.trigger({"web", "next"});
        f.settle();
        CHECK(f.seen.back() == "n");
    }
    CHECK(ended >= 1);
}

TEST_CASE(
    "controller ends: an allocation that fails while events become keys ends it, whatever the map function catches",
    "[controller][ends][memory]")
{
    for (const bool catches : {false, true}) {
        for (std::uint64_t nth = 1; nth <= 4; ++nth) {
            CAPTURE(catches, nth);
            world f;
            bool armed = true;
            auto [pods, watch] = f.pods({});
            auto& c = f.make_noting();
            c.watch(pods, [&](const notification<object>& n, key_sink out) {
                if (std::exchange(armed, false)) fail_allocation(nth);
                try {
                    out(object_of(n).key());
                } catch (...) {
                    if (!catches) throw;
                }
            });
            f.begin();
            std::vector<watch_event> events;
            for (int n = 0; n < 50; ++n)
                events.push_back(kt::added(kt::make_pod("web", long_name(n), std::to_string(20 + n))));
            watch.send(std::move(events));
            f.settle();
            fail_allocation(0);
            f.check_end("bad_alloc");
        }
    }
}
