// A controller whose clock jumps: after a suspended machine, or when the wall clock is set.
#include "controller_fixture.hpp"

using namespace controller_test;

namespace {

constexpr auto ten_years = 24h * 3650;

/// Advances the clock at once, without intermediate times.
void jump(fixture& f, duration d)
{
    f.run.clock().advance(d);
    f.settle();
}

run_task at_once() { co_return action::done(); }

run_task sleep_for_ever(reconcile_context& context)
{
    const auto slept = co_await kubecoro::sleep_for(*context.time(), 24h * 36500);
    co_return slept ? run_result(action::done()) : run_result(slept.error());
}

} // namespace

TEST_CASE("controller: a clock jump releases every waiting key once, and later retries start from there",
          "[controller][clock]")
{
    fixture f;
    bool broken = true;
    auto& c = f.make(plain([&](const object_key& key, reconcile_context&) -> run_result {
                         f.seen.push_back(to_string(key));
                         if (key.name == "failing" && broken) return failure(cond::conflict, "not yet");
                         return key.name == "failing" ? action::done() : action::requeue_after(1h);
                     }),
                     {.workers = 2});
    c.start();
    for (const auto* name : {"a", "b", "c", "failing"}) c.trigger({"web", name});
    f.settle();
    CHECK(f.take_sorted() == lines{"web/a", "web/b", "web/c", "web/failing"});
    jump(f, ten_years);
    CHECK(f.take_sorted() == lines{"web/a", "web/b", "web/c", "web/failing"});
    CHECK(c.stats().queue.delayed == 4);
    broken = false;
    f.run.advance(20ms);
    CHECK(f.take() == lines{"web/failing"});
    f.run.advance(1h);
    CHECK(f.take_sorted() == lines{"web/a", "web/b", "web/c"});
}

TEST_CASE("controller: a clock jump ends everything with a limit: a run, the wait for an own write, the grace period",
          "[controller][clock]")
{
    fixture f;
    auto [pods, watch] = f.pods({kt::make_pod("web", "writer", "5")});
    auto& c = f.make(
        [&f](const object_key& key, reconcile_context& context) {
            f.seen.push_back(to_string(key));
            if (key.name == "writer" && context.attempt() == 1) context.wrote(pod::resource(), key, "99");
            return key.name == "stuck" ? sleep_for_ever(context) : at_once();
        },
        {.workers = 2, .deadline = 10s, .grace = 5s});
    c.watch(pods, enqueue_object());
    f.begin();
    c.trigger({"web", "stuck"});
    c.trigger({"web", "writer"});
    f.settle();
    CHECK(f.take_sorted() == lines{"web/stuck", "web/writer"});
    CHECK(c.stats().behind_own_writes == 1);
    jump(f, ten_years);
    CHECK(c.stats().timed_out == 1);
    CHECK(c.stats().own_write_timeouts == 1);
    CHECK(f.take() == lines{"web/writer"});
    f.run.advance(5ms);
    CHECK(f.take() == lines{"web/stuck"});

    auto stopping = f.run.spawn(c.stop());
    f.settle();
    CHECK(c.stats().phase == controller_phase::stopping);
    jump(f, ten_years);
    REQUIRE(stopping.done());
    CHECK(c.stats().phase == controller_phase::stopped);
}

TEST_CASE("controller: setting the wall clock has no effect", "[controller][clock]")
{
    fixture f;
    auto& c = f.make(plain([&](const object_key& key, reconcile_context&) -> run_result {
        f.seen.push_back(to_string(key));
        return action::requeue_after(1h);
    }));
    c.start();
    c.trigger({"web", "a"});
    f.settle();
    CHECK(f.take().size() == 1);
    f.run.clock().shift_wall(5h);
    f.settle();
    f.run.clock().shift_wall(-24h * 400);
    f.settle();
    CHECK(f.take().empty());
    f.run.advance(1h);
    CHECK(f.take() == lines{"web/a"});
}
