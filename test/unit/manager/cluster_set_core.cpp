// The decisions of a set of clusters, as scripts.
#include "clusters/cluster_set_core.hpp"

#include <kubecoro/test/catch.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace kubecoro::detail;

namespace {

std::string text_of(const cluster_step::any& s)
{
    if (const auto* j = std::get_if<cluster_step::join>(&s)) return "+" + j->name;
    if (const auto* l = std::get_if<cluster_step::leave>(&s)) return "-" + l->name;
    if (const auto* k = std::get_if<cluster_step::keep_waiting>(&s)) return "full " + k->name;
    return std::holds_alternative<cluster_step::finish>(s) ? "finish" : "rest";
}

/// The steps until it rests or finishes.
std::string steps(cluster_set_core& core)
{
    for (std::string out;;) {
        const auto s = text_of(core.next());
        if (s == "rest") return out;
        out += (out.empty() ? "" : " ") + s;
        if (s == "finish") return out;
    }
}

} // namespace

TEST_CASE("clusters core: an offer joins once, and a withdrawal leaves", "[clusters]")
{
    cluster_set_core core(10);
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

TEST_CASE("clusters core: a changed offer leaves, and joins only after it has left", "[clusters]")
{
    cluster_set_core core(10);
    core.offered("eu", "1");
    CHECK(steps(core) == "+eu");
    core.offered("eu", "2");
    CHECK(steps(core) == "-eu");
    core.offered("eu", "3");
    CHECK(steps(core).empty());
    core.left("eu");
    CHECK(steps(core) == "+eu");
    core.offered("eu", "3");
    CHECK(steps(core).empty());
}

TEST_CASE("clusters core: an offer that comes back is as if it had stayed, until the step to leave", "[clusters]")
{
    cluster_set_core core(10);
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
    CHECK(steps(core) == "+eu");
    core.withdrawn("eu");
    CHECK(steps(core) == "-eu");
    core.offered("eu", "2");
    core.withdrawn("eu");
    core.left("eu");
    CHECK(steps(core).empty());
}

TEST_CASE("clusters core: a full set lets others wait, and says so once", "[clusters]")
{
    cluster_set_core core(2);
    for (const auto* name : {"a", "b", "c", "d"}) core.offered(name, "1");
    CHECK(steps(core) == "+a +b full c full d");
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
    cluster_set_core core(1);
    core.offered("b", "1");
    core.offered("a", "1");
    CHECK((steps(core) == "+a full b"));
    core.offered("a", "2");
    CHECK(steps(core) == "-a");
    core.left("a");
    CHECK(steps(core) == "+a");
}

TEST_CASE("clusters core: a stop lets all leave, in any state, and nothing joins any more", "[clusters]")
{
    cluster_set_core core(2);
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
    cluster_set_core empty(1);
    empty.stop();
    CHECK(steps(empty) == "finish");
}

TEST_CASE("clusters core: random offers agree with a model", "[clusters]")
{
    for (unsigned seed = 1; seed <= 200; ++seed) {
        INFO("seed " << seed);
        std::mt19937 random(seed);
        const std::size_t places = 1 + random() % 4;
        cluster_set_core core(places);
        std::map<std::string, std::string> offered, present; // by name, the revision
        std::vector<std::string> leaving;
        const auto apply = [&] {
            for (std::string s = text_of(core.next()); s != "rest" && s != "finish"; s = text_of(core.next())) {
                const auto name = s.substr(1);
                if (s.front() == '+') {
                    REQUIRE_FALSE(present.contains(name)); // never twice, never before it has left
                    REQUIRE(offered.contains(name));
                    present[name] = offered[name];
                }
                if (s.front() == '-') {
                    REQUIRE(present.contains(name));
                    REQUIRE((!offered.contains(name) || offered[name] != present[name]));
                    leaving.push_back(name);
                }
                REQUIRE(present.size() <= places);
            }
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
            if (random() % 3 != 0) apply();
        }
        for (apply(); !leaving.empty(); apply()) {
            core.left(leaving.back());
            present.erase(leaving.back());
            leaving.pop_back();
        }
        // At rest: as many as there is room for, each as it was offered last.
        CHECK(present.size() == std::min(places, offered.size()));
        for (const auto& [name, revision] : present) CHECK(offered[name] == revision);
    }
}
