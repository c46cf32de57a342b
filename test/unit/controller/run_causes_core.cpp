// The causes of runs, until they begin.
#include "controller/run_causes_core.hpp"

#include <kubecoro/test/catch.hpp>

#include <chrono>

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace std::chrono_literals;

namespace {

const object_key a("web", "a"), b("web", "b"), c("web", "c");
const time_point start{1h};

trace_context context(std::uint64_t trace, std::uint64_t span) { return {.trace_low = trace, .span = span}; }

run_cause event(std::uint64_t trace)
{
    return {.why = run_cause::kind::event, .from = context(trace, 1), .parent = context(trace, 1)};
}

} // namespace

TEST_CASE("run causes: they wait for the run, which takes them all", "[controller][traces]")
{
    run_causes_core core(10);
    CHECK_FALSE(core.take(a));
    CHECK(core.note(a, event(1), start));
    CHECK(core.note(b, event(2), start + 1s));
    CHECK(core.note(a, event(3), start + 2s));
    CHECK(core.keys() == 2);
    const auto taken = core.take(a);
    REQUIRE(taken);
    REQUIRE(taken->kept.size() == 2);
    CHECK(taken->kept[0].from == context(1, 1));
    CHECK(taken->kept[1].from == context(3, 1));
    CHECK(taken->since == start);
    CHECK(taken->left_out == 0);
    CHECK_FALSE(core.take(a));
    CHECK(core.keys() == 1);
}

TEST_CASE("run causes: of many, the first ones and the last one are kept", "[controller][traces]")
{
    run_causes_core core(10);
    for (std::uint64_t n = 1; n <= 20; ++n) core.note(a, event(n), start);
    const auto taken = core.take(a);
    REQUIRE(taken);
    REQUIRE(taken->kept.size() == run_causes_core::most_kept);
    for (std::uint64_t n = 0; n < 7; ++n) CHECK(taken->kept[n].from == context(n + 1, 1));
    CHECK(taken->kept[7].from == context(20, 1));
    CHECK(taken->left_out == 12);
}

TEST_CASE("run causes: the number of keys is limited, and known ones always get more", "[controller][traces]")
{
    run_causes_core core(2);
    CHECK(core.note(a, event(1), start));
    CHECK(core.note(b, event(2), start));
    CHECK_FALSE(core.note(c, event(3), start));
    CHECK(core.note(a, event(4), start));
    CHECK(core.take(b));
    CHECK(core.note(c, event(5), start));
    CHECK(core.keys() == 2);
}

TEST_CASE("run causes: the wait begins with the first news, not with a delay", "[controller][traces]")
{
    run_causes_core core(10);
    core.note(a, cause_after(run_cause::kind::requeue, context(1, 2), context(1, 1), 1), start);
    CHECK_FALSE(core.take(a)->since);
    core.note(a, cause_after(run_cause::kind::retry, context(1, 2), context(1, 1), 1), start);
    core.note(a, {.why = run_cause::kind::trigger, .from = context(5, 1)}, start + 1min);
    core.note(a, event(6), start + 2min);
    CHECK(core.take(a)->since == start + 1min);
}

TEST_CASE("run causes: a run is in the trace of its first event, and the others are links", "[controller][traces]")
{
    const auto one = relations_of({.kept = {event(1)}});
    CHECK(one.parent == context(1, 1));
    CHECK(one.links.empty());
    const auto many = relations_of({.kept = {event(1), event(2), event(3)}});
    CHECK(many.parent == context(1, 1));
    CHECK(many.links == std::vector{context(2, 1), context(3, 1)});
}

TEST_CASE("run causes: a retry stays in the trace and links to the failed run", "[controller][traces]")
{
    const auto retry = cause_after(run_cause::kind::retry, context(1, 7), context(1, 1), 1);
    const auto run = relations_of({.kept = {retry}});
    CHECK(run.parent == context(1, 1));
    CHECK(run.links == std::vector{context(1, 7)});
    // A failed run that began its trace is the parent of its retries.
    const auto of_root = relations_of({.kept = {cause_after(run_cause::kind::retry, context(2, 7), {}, 1)}});
    CHECK(of_root.parent == context(2, 7));
    CHECK(of_root.links.empty());
}

TEST_CASE("run causes: a key that fails for ever makes no trace without an end", "[controller][traces]")
{
    const auto parent_after = [](unsigned attempt) {
        return cause_after(run_cause::kind::retry, context(1, 7), context(1, 1), attempt).parent;
    };
    for (unsigned n = 1; n < attempts_in_a_trace; ++n) CHECK(parent_after(n));
    CHECK_FALSE(parent_after(attempts_in_a_trace));
    CHECK(parent_after(attempts_in_a_trace + 1));
}

TEST_CASE("run causes: a requested run begins a trace of its own, unless an event comes first", "[controller][traces]")
{
    const auto requeue = cause_after(run_cause::kind::requeue, context(1, 7), context(1, 1), 1);
    const auto alone = relations_of({.kept = {requeue}});
    CHECK_FALSE(alone.parent);
    CHECK(alone.links == std::vector{context(1, 7)});
    const auto overtaken = relations_of({.kept = {requeue, event(2)}});
    CHECK(overtaken.parent == context(2, 1));
    CHECK(overtaken.links == std::vector{context(1, 7)});
}
