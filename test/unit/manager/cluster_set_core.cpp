// The decisions of a set of clusters, as scripts.
#include "clusters/cluster_set_core.hpp"

#include <kubecoro/test/catch.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace std::chrono_literals;

namespace {

std::string text_of(const cluster_step::any& s)
{
    if (const auto* j = std::get_if<cluster_step::join>(&s)) return "+" + j->name;
    if (const auto* l = std::get_if<cluster_step::leave>(&s)) return "-" + l->name;
    if (const auto* k = std::get_if<cluster_step::keep_waiting>(&s)) return "full " + k->name;
    return std::holds_alternative<cluster_step::finish>(s) ? "finish" : "rest";
}

constexpr backoff_policy pace{.initial = 1s, .factor = 2, .cap = 1min, .jitter = 1};
constexpr time_point start = time_point() + 1h;
constexpr time_point late = start + 24h;

/// The steps until it rests or finishes.
std::string steps(cluster_set_core& core, time_point now = late)
{
    for (std::string out;;) {
        const auto s = text_of(core.next(now));
        if (s == "rest") return out;
        out += (out.empty() ? "" : " ") + s;
        if (s == "finish") return out;
    }
}

} // namespace

TEST_CASE("clusters core: an offer joins once, and a withdrawal leaves", "[clusters]")
{
    cluster_set_core core(10, pace);
    CHECK(steps(core).empty());
    core.offered("eu", "1");
    core.offered("us", "1");
    CHECK(steps(core) == "+eu +us");
    core.offered("eu", "1");
    CHECK(steps(core).empty());
    core.withdrawn("eu");
    core.withdrawn("unknown");
    CHECK(steps(core) == "-eu");
    core.left("eu");
    CHECK(steps(core).empty());
}

TEST_CASE("clusters core: of many that have to wait one is said in a minute, with the number of the others",
          "[clusters]")
{
    cluster_set_core core(1, pace);
    for (const auto* name : {"a", "b", "c", "d"}) core.offered(name, "1");
    CHECK(steps(core) == "+a full b");
    core.withdrawn("c");
    core.offered("c", "1");
    CHECK(steps(core, late + 59s).empty());
    core.offered("e", "1");
    auto next = core.next(late + 1min);
    REQUIRE(std::holds_alternative<cluster_step::keep_waiting>(next));
    CHECK(std::get<cluster_step::keep_waiting>(next).name == "e");
    CHECK(std::get<cluster_step::keep_waiting>(next).unsaid == 2);
    CHECK(core.waiting().size() == 4);
    core.offered("f", "1");
    CHECK(steps(core, late + 1min).empty());
    core.offered("g", "1");
    next = core.next(late + 3min);
    CHECK(std::get<cluster_step::keep_waiting>(next).unsaid == 1);
}

TEST_CASE("clusters core: a changed offer leaves, and joins only after it has left", "[clusters]")
{
    cluster_set_core core(10, pace);
    core.offered("eu", "1");
    CHECK(steps(core) == "+eu");
    core.offered("eu", "2");
    CHECK(steps(core) == "-eu");
    core.offered("eu", "3");
    CHECK(steps(core).empty());
    core.left("eu");
    CHECK(steps(core, late + 1s) == "+eu");
    core.offered("eu", "3");
    CHECK(steps(core).empty());
}

TEST_CASE("clusters core: an offer that comes back is as if it had stayed, until the step to leave", "[clusters]")
{
    cluster_set_core core(10, pace);
    core.offered("eu", "1");
    CHECK(steps(core) == "+eu");
    core.withdrawn("eu");
    core.offered("eu", "1");
    CHECK(steps(core).empty());
    core.withdrawn("eu");
    CHECK(steps(core) == "-eu");
    core.offered("eu", "1");
    CHECK(steps(core).empty());
    core.left("eu");
    CHECK(steps(core, late + 1s) == "+eu");
    core.withdrawn("eu");
    CHECK(steps(core) == "-eu");
    core.offered("eu", "2");
    core.withdrawn("eu");
    core.left("eu");
    CHECK(steps(core).empty());
}

TEST_CASE("clusters core: a full set lets others wait, and says so once", "[clusters]")
{
    cluster_set_core core(2, pace);
    for (const auto* name : {"a", "b", "c", "d"}) core.offered(name, "1");
    CHECK(steps(core) == "+a +b full c");
    core.offered("d", "2");
    CHECK(steps(core).empty());
    CHECK(core.waiting().size() == 2);
    core.withdrawn("a");
    CHECK(steps(core) == "-a"); // its place is free when it has left
    core.left("a");
    CHECK(steps(core) == "+c");
    core.withdrawn("d");
    core.withdrawn("b");
    CHECK(steps(core) == "-b");
    core.left("b");
    CHECK(steps(core).empty());
    CHECK(core.waiting().empty());
}

TEST_CASE("clusters core: a cluster with new credentials keeps its place in a full set", "[clusters]")
{
    cluster_set_core core(1, pace);
    core.offered("b", "1");
    core.offered("a", "1");
    CHECK((steps(core) == "+a full b"));
    core.offered("a", "2");
    CHECK(steps(core) == "-a");
    core.left("a");
    CHECK(steps(core).empty()); // also while it may not join yet
    CHECK(steps(core, late + 1s) == "+a");
}

TEST_CASE("clusters core: every free place is taken, also if one that waits is withdrawn at the same time",
          "[clusters]")
{
    cluster_set_core core(1, pace);
    for (const auto* name : {"a", "b", "c"}) core.offered(name, "1");
    CHECK(steps(core) == "+a full b");
    core.withdrawn("a");
    CHECK(steps(core) == "-a");
    core.left("a");
    core.withdrawn("b");
    CHECK(steps(core) == "+c");

    cluster_set_core two(2, pace);
    for (const auto* name : {"a", "b", "c", "d"}) two.offered(name, "1");
    CHECK(steps(two) == "+a +b full c");
    two.withdrawn("a");
    two.withdrawn("b");
    CHECK(steps(two) == "-a -b");
    two.left("a");
    two.left("b");
    CHECK(steps(two) == "+c +d");
}

TEST_CASE("clusters core: a cluster that keeps changing joins later each time, until it has been calm", "[clusters]")
{
    cluster_set_core core(2, pace);
    int revision = 0;
    auto now = start;
    // Changes until it has joined again; returns the time since the former join.
    const auto flap = [&] {
        core.offered("eu", std::to_string(++revision));
        REQUIRE(steps(core, now) == "-eu");
        core.left("eu");
        REQUIRE(steps(core, now).empty());
        REQUIRE(core.delayed().size() == 1);
        const auto next = core.next(now);
        const auto until = std::get<cluster_step::rest>(next).until;
        REQUIRE(until);
        core.offered("eu", std::to_string(++revision)); // further changes alter nothing
        REQUIRE(steps(core, *until - 1ms).empty());
        REQUIRE(steps(core, *until) == "+eu");
        CHECK(core.delayed().empty());
        return *until - std::exchange(now, *until);
    };
    core.offered("eu", "0");
    CHECK(steps(core, now) == "+eu");
    for (const auto expected : {1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}) CHECK(flap() == expected);

    // Neither does it help to go and come back.
    core.withdrawn("eu");
    CHECK(steps(core, now) == "-eu");
    core.left("eu");
    CHECK(steps(core, now).empty());
    core.offered("eu", "new");
    CHECK(steps(core, now + 59s).empty());
    core.withdrawn("eu");
    CHECK(steps(core, now + 59s).empty());
    CHECK(core.delayed().empty());
    core.offered("eu", "new");
    CHECK(steps(core, now + 60s) == "+eu");

    now += 60s + 2min; // it has been calm for a minute after it might have joined
    core.offered("eu", "calm");
    CHECK(steps(core, now) == "-eu");
    core.left("eu");
    CHECK(steps(core, now) == "+eu");
    CHECK(flap() == 1s);

    core.offered("eu", "last");
    CHECK(steps(core, now) == "-eu");
    core.left("eu");
    CHECK(steps(core, now).empty());
    core.stop(); // one that waits for its time is gone at once
    CHECK(steps(core, now) == "finish");
}

TEST_CASE("clusters core: a limited number of joins is remembered, those that may join last before others",
          "[clusters]")
{
    join_pace paces(pace, 2);
    paces.joined("a", start);
    paces.joined("a", start + 1s); // until 3 s
    paces.joined("b", start + 1s); // until 2 s
    CHECK(paces.due("b") == start + 2s);
    paces.joined("c", start + 1s);
    CHECK(paces.due("a") == start + 3s);
    CHECK_FALSE(paces.due("b"));
    CHECK(paces.due("c") == start + 2s);
    paces.joined("d", start + 63s); // the others have been calm
    CHECK_FALSE(paces.due("a"));
    CHECK_FALSE(paces.due("c"));
    CHECK(paces.due("d") == start + 64s);
}

TEST_CASE("clusters core: a stop lets all leave, in any state, and nothing joins any more", "[clusters]")
{
    cluster_set_core core(2, pace);
    for (const auto* name : {"a", "b", "c"}) core.offered(name, "1");
    CHECK(steps(core) == "+a +b full c");
    core.withdrawn("b");
    CHECK(steps(core) == "-b");
    core.stop();
    core.offered("d", "1");
    CHECK(steps(core) == "-a");
    core.left("b");
    CHECK(steps(core).empty());
    core.left("a");
    CHECK(steps(core) == "finish");
    cluster_set_core empty(1, pace);
    empty.stop();
    CHECK(steps(empty) == "finish");
}

TEST_CASE("clusters core: a limited number of clusters starts at a time", "[clusters]")
{
    cluster_set_core core(10, pace, 2);
    for (const auto* name : {"a", "b", "c", "d", "e"}) core.offered(name, "1");
    CHECK(steps(core) == "+a +b");
    CHECK(core.starting_later() == std::set<std::string, std::less<>>{"c", "d", "e"});
    core.started("a");
    core.started("a"); // once for all
    CHECK(steps(core) == "+c");
    core.withdrawn("d");
    core.withdrawn("b"); // starts until it has left
    CHECK(steps(core) == "-b");
    core.left("b");
    CHECK(steps(core) == "+e");
    CHECK(core.starting_later().empty());
    core.stop();
    CHECK(steps(core) == "-a -c -e");
}

TEST_CASE("clusters core: clusters that never get ready hold up others for ten seconds", "[clusters]")
{
    cluster_set_core core(10, pace, 2);
    for (const auto* name : {"a", "b", "c", "d", "e"}) core.offered(name, "1");
    CHECK(steps(core, start) == "+a +b");
    const auto resting = core.next(start);
    CHECK(std::get<cluster_step::rest>(resting).until == start + 10s);
    CHECK(steps(core, start + 10s - 1ns).empty());
    CHECK(steps(core, start + 10s) == "+c +d");
    CHECK(steps(core, start + 20s) == "+e");
    CHECK_FALSE(std::get<cluster_step::rest>(core.next(start + 20s)).until);
}

TEST_CASE("clusters core: whatever happens, all that are offered start", "[clusters]")
{
    for (unsigned seed = 1; seed <= 200; ++seed) {
        INFO("seed " << seed);
        std::mt19937 random(seed);
        const std::size_t starts = 1 + random() % 3;
        cluster_set_core core(8, pace, starts);
        std::map<std::string, time_point> starting;
        std::set<std::string> offered, present;
        auto now = start;
        const auto apply = [&] {
            std::erase_if(starting, [&](const auto& s) { return s.second + 10s <= now; });
            for (std::string s = text_of(core.next(now)); s != "rest"; s = text_of(core.next(now))) {
                const auto name = s.substr(1);
                if (s.front() == '+') {
                    starting[name] = now;
                    present.insert(name);
                    REQUIRE(starting.size() <= starts);
                } else if (s.front() == '-') {
                    core.left(name);
                    starting.erase(name);
                    present.erase(name);
                }
            }
        };
        for (int i = 0; i < 200; ++i) {
            const std::string name(1, static_cast<char>('a' + random() % 8));
            switch (random() % 4) {
            case 0:
            case 1:
                core.offered(name, std::to_string(random() % 3));
                offered.insert(name);
                break;
            case 2:
                core.withdrawn(name);
                offered.erase(name);
                break;
            default:
                core.started(name);
                starting.erase(name);
            }
            now += std::chrono::milliseconds(random() % 2000);
            if (random() % 3 != 0) apply();
        }
        for (int i = 0; i < 200 && present != offered; ++i, now += 5s) apply();
        CHECK(present == offered);
        CHECK(core.starting_later().empty());
    }
}

TEST_CASE("clusters core: random offers agree with a model", "[clusters]")
{
    for (unsigned seed = 1; seed <= 200; ++seed) {
        INFO("seed " << seed);
        std::mt19937 random(seed);
        const std::size_t places = 1 + random() % 4;
        cluster_set_core core(places, pace);
        std::map<std::string, std::string> offered, present; // by name, the revision
        std::vector<std::string> leaving;
        std::map<std::string, time_point> joined;
        auto now = start;
        const auto apply = [&] {
            for (std::string s = text_of(core.next(now)); s != "rest" && s != "finish"; s = text_of(core.next(now))) {
                const auto name = s.substr(1);
                if (s.front() == '+') {
                    REQUIRE_FALSE(present.contains(name)); // never twice, never before it has left
                    REQUIRE(offered.contains(name));
                    present[name] = offered[name];
                    REQUIRE((!joined.contains(name) || now - joined[name] >= pace.initial));
                    joined[name] = now;
                }
                if (s.front() == '-') {
                    REQUIRE(present.contains(name));
                    REQUIRE((!offered.contains(name) || offered[name] != present[name]));
                    leaving.push_back(name);
                }
                REQUIRE(present.size() <= places);
            }
            // No place is free while someone waits.
            REQUIRE((core.waiting().empty() || present.size() + core.delayed().size() == places));
        };
        for (int i = 0; i < 200; ++i) {
            const std::string name(1, static_cast<char>('a' + random() % 6));
            const auto revision = std::to_string(random() % 3);
            switch (random() % 4) {
            case 0:
            case 1:
                core.offered(name, revision);
                offered[name] = revision;
                break;
            case 2:
                core.withdrawn(name);
                offered.erase(name);
                break;
            default:
                if (leaving.empty()) break;
                core.left(leaving.back());
                present.erase(leaving.back());
                leaving.pop_back();
            }
            now += std::chrono::milliseconds(random() % 2000);
            if (random() % 3 != 0) apply();
        }
        for (apply(); !leaving.empty() || !core.delayed().empty(); apply()) {
            now += pace.cap;
            if (leaving.empty()) continue;
            core.left(leaving.back());
            present.erase(leaving.back());
            leaving.pop_back();
        }
        // At rest: as many as there is room for, each as it was offered last.
        CHECK(present.size() == std::min(places, offered.size()));
        for (const auto& [name, revision] : present) CHECK(offered[name] == revision);
    }
}
