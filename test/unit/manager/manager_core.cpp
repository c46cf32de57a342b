// The order in which a manager starts and stops, as a script of inputs and steps.
#include "manager/manager_core.hpp"

#include <kubecoro/test/catch.hpp>

#include <string>
#include <vector>

using namespace kubecoro;
using namespace std::chrono_literals;
namespace step = kubecoro::detail::manager_step;
using kubecoro::detail::manager_core;
using kubecoro::detail::part_stage;
using lines = std::vector<std::string>;

namespace {

struct script
{
    manager_core core;
    time_point now = time_point() + 1h;
    /// The end of the last wait, if it has one.
    std::optional<duration> until = {};

    explicit script(manager_core::settings s = {.sync_timeout = 2min, .progress = 10s, .grace = 25s}) : core(s) {}

    kubecoro::detail::part_id add(std::string name, part_stage stage, std::optional<backoff_policy> retry = {})
    {
        return core.add({.name = std::move(name), .stage = stage, .retry = retry});
    }
    /// The steps until the next wait or the end.
    lines steps()
    {
        lines out;
        for (int i = 0; i < 100; ++i) {
            const auto next = core.next(now);
            if (const auto* w = std::get_if<step::wait>(&next)) {
                until = w->until ? std::optional<duration>(*w->until - now) : std::nullopt;
                return out;
            }
            if (const auto* f = std::get_if<step::finish>(&next)) {
                out.push_back(f->outcome ? "finish" : "finish: " + f->outcome.error().describe());
                return out;
            }
            out.push_back(text(next));
        }
        FAIL("no wait");
        return out;
    }

private:
    static std::string text(const step::any& s)
    {
        if (const auto* p = std::get_if<step::start_part>(&s)) return "start " + std::to_string(p->id);
        if (const auto* p = std::get_if<step::stop_part>(&s)) return "stop " + std::to_string(p->id);
        if (const auto* p = std::get_if<step::cancel_part>(&s))
            return "cancel " + std::to_string(p->id) + (p->late ? "" : " at once");
        if (std::holds_alternative<step::start_informers>(s)) return "start informers";
        if (std::holds_alternative<step::report_waiting>(s)) return "report";
        if (std::holds_alternative<step::give_up_sync>(s)) return "give up";
        if (std::holds_alternative<step::seek_leadership>(s)) return "seek";
        if (std::holds_alternative<step::give_up_leadership>(s)) return "release";
        if (std::holds_alternative<step::announce_ready>(s)) return "ready";
        if (std::holds_alternative<step::stop_informers>(s)) return "stop informers";
        return "?";
    }
};

/// Servers 1, support 2, leader 3.
script with_three(manager_core::settings s = {.sync_timeout = 2min, .progress = 10s, .grace = 25s})
{
    script t(s);
    CHECK(t.add("leader", part_stage::leading) == 1);
    CHECK(t.add("support", part_stage::synced) == 2);
    CHECK(t.add("server", part_stage::first) == 3);
    return t;
}

script running()
{
    auto t = with_three();
    t.core.start(t.now);
    t.core.informers_synced();
    CHECK(t.steps() == lines{"start 3", "start informers", "start 2", "start 1", "ready"});
    return t;
}

} // namespace

TEST_CASE("manager core: stages start in order, each when its condition holds", "[manager]")
{
    auto t = with_three({.sync_timeout = 2min, .progress = 10s, .grace = 25s, .elects = true});
    CHECK(t.steps().empty());
    t.core.start(t.now);
    CHECK(t.steps() == lines{"start 3", "start informers"});
    CHECK(t.core.phase() == manager_phase::syncing);
    t.core.informers_synced();
    CHECK(t.steps() == lines{"start 2", "seek", "ready"});
    CHECK(t.core.phase() == manager_phase::standby);
    t.core.leading();
    CHECK(t.steps() == lines{"start 1"});
    CHECK(t.core.phase() == manager_phase::running);
}

TEST_CASE("manager core: stages stop in the opposite order, each after the last part of the one before", "[manager]")
{
    auto t = with_three({.sync_timeout = 2min, .progress = 10s, .grace = 25s, .elects = true});
    t.core.start(t.now);
    t.core.informers_synced();
    t.core.leading();
    (void)t.steps();
    t.core.stop(t.now);
    CHECK(t.steps() == lines{"stop 1"});
    t.core.part_ended(1, {}, t.now);
    CHECK(t.steps() == lines{"release"});
    t.core.leadership_over({}, t.now);
    CHECK(t.steps() == lines{"stop 2"});
    t.core.part_ended(2, failure(cond::cancelled), t.now);
    CHECK(t.steps() == lines{"stop informers"});
    t.core.informers_stopped();
    CHECK(t.steps() == lines{"stop 3"});
    t.core.part_ended(3, {}, t.now);
    CHECK(t.steps() == lines{"finish"});
}

TEST_CASE("manager core: what is missing is reported, and given up after the limit", "[manager]")
{
    auto t = with_three({.sync_timeout = 25s, .progress = 10s, .grace = 25s});
    t.core.start(t.now);
    (void)t.steps();
    CHECK(t.until == 10s);
    t.now += 10s;
    CHECK(t.steps() == lines{"report"});
    t.now += 10s;
    CHECK(t.steps() == lines{"report"});
    t.now += 5s;
    CHECK(t.steps() == lines{"give up"});
    t.core.fail(failure(cond::forbidden, "secrets"), t.now);
    CHECK(t.steps() == lines{"stop informers"});
    t.core.informers_stopped();
    CHECK(t.steps() == lines{"stop 3"});
    t.core.part_ended(3, {}, t.now);
    const auto end = t.steps();
    REQUIRE(end.size() == 1);
    CHECK(end[0].find("finish: forbidden: secrets") == 0);
}

TEST_CASE("manager core: without limits it waits for ever and says nothing", "[manager]")
{
    auto t = with_three({.sync_timeout = 0s, .progress = 0s, .grace = 25s});
    t.core.start(t.now);
    (void)t.steps();
    CHECK_FALSE(t.until.has_value());
    t.now += 24h;
    CHECK(t.steps().empty());
}

TEST_CASE("manager core: a part that fails ends everything and is named", "[manager]")
{
    auto t = running();
    t.core.part_ended(2, failure(cond::unreachable, "no route"), t.now);
    CHECK(t.steps() == lines{"stop 1"});
    t.core.part_ended(1, {}, t.now);
    CHECK(t.steps() == lines{"stop informers"});
    t.core.informers_stopped();
    CHECK(t.steps() == lines{"stop 3"});
    t.core.part_ended(3, {}, t.now);
    const auto end = t.steps();
    REQUIRE(end.size() == 1);
    CHECK(end[0].find("support failed") != std::string::npos);
    CHECK(end[0].find("no route") != std::string::npos);
}

TEST_CASE("manager core: a part that is retried starts again after growing delays", "[manager]")
{
    auto t = running();
    const backoff_policy policy{.initial = 1s, .factor = 2, .cap = 10s, .jitter = 0};
    const auto id = t.add("poller", part_stage::leading, policy);
    CHECK(t.steps() == lines{"start 4"});
    t.core.part_ended(id, failure(cond::unreachable), t.now);
    CHECK(t.steps().empty());
    CHECK(t.until == 1s);
    t.now += 1s;
    CHECK(t.steps() == lines{"start 4"});
    t.core.part_ended(id, failure(cond::unreachable), t.now);
    CHECK(t.steps().empty());
    CHECK(t.until == 2s);
    CHECK(t.core.stats().parts.back().restarts == 1);
    t.now += 2s;
    CHECK(t.steps() == lines{"start 4"});
    t.now += 11s; // longer than the cap
    t.core.part_ended(id, failure(cond::unreachable), t.now);
    (void)t.steps();
    CHECK(t.until == 1s);
    t.core.stop(t.now); // it rests, and does not start again
    CHECK(t.steps() == lines{"stop 1"});
}

TEST_CASE("manager core: the delays of a part that stands apart are reset only after it has worked", "[manager]")
{
    auto t = running();
    const backoff_policy policy{.initial = 1s, .factor = 2, .cap = 10s, .jitter = 0};
    const auto id = t.core.add({.name = "cluster eu", .stage = part_stage::first, .retry = policy, .apart = true});
    t.core.has_worked(77); // unknown
    const auto delay_after = [&](duration lasted, bool worked) {
        CHECK(t.steps() == lines{"start 4"});
        if (worked) t.core.has_worked(id);
        t.now += lasted;
        t.core.part_ended(id, failure(cond::timed_out), t.now);
        CHECK(t.steps().empty());
        const auto out = t.until.value_or(duration::zero());
        t.now += out;
        return out;
    };
    CHECK(delay_after(11s, false) == 1s);
    CHECK(delay_after(11s, false) == 2s); // trying for long is no recovery
    CHECK(delay_after(1s, true) == 4s);   // neither is a moment of work
    CHECK(delay_after(11s, true) == 1s);
    CHECK(delay_after(11s, false) == 2s);
}

TEST_CASE("manager core: what does not end within the grace period is cancelled and named", "[manager]")
{
    auto t = running();
    t.core.stop(t.now);
    CHECK(t.steps() == lines{"stop 1"});
    CHECK(t.until == 25s);
    t.now += 25s;
    CHECK(t.steps() == lines{"cancel 1"});
    CHECK_FALSE(t.until.has_value());
    t.core.part_ended(1, failure(cond::cancelled), t.now);
    CHECK(t.steps() == lines{"stop 2", "cancel 2"});
    t.core.part_ended(2, {}, t.now);
    CHECK(t.steps() == lines{"stop informers"});
    t.core.informers_stopped();
    CHECK(t.steps() == lines{"stop 3", "cancel 3"});
    t.core.part_ended(3, {}, t.now);
    const auto end = t.steps();
    REQUIRE(end.size() == 1);
    CHECK(end[0].find("leader, support, server") != std::string::npos);
}

TEST_CASE("manager core: parts come and go while it runs", "[manager]")
{
    auto t = running();
    const auto late = t.add("late", part_stage::synced);
    CHECK(t.steps() == lines{"start 4"});
    CHECK(t.core.remove(late));
    CHECK(t.steps() == lines{"stop 4"});
    CHECK(t.core.knows(late));
    t.core.part_ended(late, failure(cond::cancelled), t.now);
    CHECK(t.steps().empty());
    CHECK_FALSE(t.core.knows(late));
    CHECK_FALSE(t.core.remove(late));
    t.core.part_ended(2, {}, t.now); // has done its work
    CHECK(t.steps().empty());
    CHECK(t.core.stats().parts.size() == 2);
    CHECK(t.core.phase() == manager_phase::running);
}

TEST_CASE("manager core: a stop before the start, and while the informers sync", "[manager]")
{
    script early = with_three();
    early.core.stop(early.now);
    CHECK(early.steps() == lines{"stop informers"});
    early.core.informers_stopped();
    CHECK(early.steps() == lines{"finish"});
    early.core.start(early.now);
    CHECK(early.steps() == lines{"finish"});

    script amid = with_three();
    amid.core.start(amid.now);
    (void)amid.steps();
    amid.core.stop(amid.now);
    amid.core.informers_synced(); // too late
    CHECK(amid.steps() == lines{"stop informers"});
}

TEST_CASE("manager core: a lost leadership gives the leader's parts no time, and the others theirs", "[manager]")
{
    auto t = with_three({.sync_timeout = 2min, .progress = 10s, .grace = 25s, .elects = true});
    t.core.start(t.now);
    t.core.informers_synced();
    t.core.leading();
    (void)t.steps();
    t.core.leadership_lost(failure(cond::conflict, "another one leads"), t.now);
    CHECK(t.steps() == lines{"stop 1", "cancel 1 at once"});
    CHECK(t.core.phase() == manager_phase::stopping);
    t.core.part_ended(1, failure(cond::cancelled), t.now);
    CHECK(t.steps() == lines{"release"});
    t.core.leadership_over(failure(cond::conflict), t.now);
    CHECK(t.steps() == lines{"stop 2"});
    t.core.part_ended(2, {}, t.now);
    CHECK(t.steps() == lines{"stop informers"});
    t.core.informers_stopped();
    CHECK(t.steps() == lines{"stop 3"});
    t.core.part_ended(3, {}, t.now);
    CHECK(t.steps() == lines{"finish: conflict: another one leads"});
}

TEST_CASE("manager core: leadership that is lost during a stop cancels what still runs, and is the outcome",
          "[manager]")
{
    auto t = with_three({.sync_timeout = 2min, .progress = 10s, .grace = 25s, .elects = true});
    t.core.start(t.now);
    t.core.informers_synced();
    t.core.leading();
    (void)t.steps();
    t.core.stop(t.now);
    CHECK(t.steps() == lines{"stop 1"});
    t.core.leadership_lost(failure(cond::timed_out, "not renewed"), t.now);
    CHECK(t.steps() == lines{"cancel 1 at once"});
    t.core.part_ended(1, {}, t.now);
    CHECK(t.steps() == lines{"release"});
    t.core.leadership_over({}, t.now);
    t.core.part_ended(2, {}, t.now);
    t.core.informers_stopped();
    t.core.part_ended(3, {}, t.now);
    CHECK(t.steps() == lines{"stop informers", "finish: timed_out: not renewed"});
}

TEST_CASE("manager core: an election that ends by itself is a failure, also before it was won", "[manager]")
{
    for (const bool fails : {true, false}) {
        auto t = with_three({.sync_timeout = 2min, .progress = 10s, .grace = 25s, .elects = true});
        t.core.start(t.now);
        t.core.informers_synced();
        (void)t.steps();
        t.core.leadership_over(fails ? result<>(failure(cond::misconfigured, "durations")) : result<>(), t.now);
        CHECK(t.steps() == lines{"stop 2"}); // nothing to release
        t.core.part_ended(2, {}, t.now);
        (void)t.steps();
        t.core.informers_stopped();
        (void)t.steps();
        t.core.part_ended(3, {}, t.now);
        CHECK(t.steps() ==
              lines{fails ? "finish: misconfigured: durations" : "finish: internal: the election has ended by itself"});
    }
}

TEST_CASE("manager core: a failure of a part that stands apart does not count at the stop", "[manager]")
{
    for (const bool apart : {false, true}) {
        script t;
        const auto id =
            t.core.add({.name = "cluster eu", .stage = part_stage::synced, .retry = backoff_policy{}, .apart = apart});
        t.core.start(t.now);
        t.core.informers_synced();
        CHECK(t.steps() == lines{"start informers", "start 1", "ready"});
        t.core.stop(t.now);
        t.core.part_ended(id, failure(cond::unreachable, "no answer"), t.now);
        CHECK(t.steps() == lines{"stop informers"});
        t.core.informers_stopped();
        const auto end = t.steps();
        REQUIRE(end.size() == 1);
        CHECK((end.front() == "finish") == apart);
        CHECK((t.core.stats().phase == manager_phase::stopped));
    }
}
