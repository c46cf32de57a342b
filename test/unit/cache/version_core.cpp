// Tests of reached versions and of the waits they end.

#include "store/version_core.hpp"

#include <kubecoro/test/catch.hpp>

#include <algorithm>
#include <map>
#include <random>

using namespace kubecoro;
using namespace kubecoro::detail;

using tickets = std::vector<version_core::ticket>;

TEST_CASE("version core: no version is reached before the first list", "[cache][version]")
{
    version_core v;
    v.add_lane("web");
    CHECK(v.covers("web"));
    CHECK_FALSE(v.covers("jobs"));
    CHECK_FALSE(v.reached("web", ""));
    CHECK_FALSE(v.reached("web", "0"));
    CHECK_FALSE(v.reached("web", "5"));
    const auto any = v.wait("web", "");
    const auto zero = v.wait("web", "0");
    const auto five = v.wait("web", "5");
    const auto later = v.wait("web", "11");
    CHECK(v.reach("web", "10") == tickets{any, zero, five});
    CHECK(v.reached("web", ""));
    CHECK(v.reached("web", "10"));
    CHECK_FALSE(v.reached("web", "11"));
    CHECK_FALSE(v.reached("jobs", "1"));
    CHECK(v.reach("web", "100") == tickets{later});
    CHECK(v.version("web") == "100");
}

TEST_CASE("version core: versions are numbers, not text", "[cache][version]")
{
    version_core v;
    v.add_lane("");
    CHECK(v.reach("", "9").empty());
    CHECK_FALSE(v.reached("anywhere", "10"));
    const auto big = v.wait("anywhere", "99999999999999999999999");
    const auto ten = v.wait("anywhere", "10");
    CHECK(v.reach("", "10") == tickets{ten});
    CHECK(v.reach("", "100000000000000000000000") == tickets{big});
}

TEST_CASE("version core: each lane has its own version, and a removed lane ends its waits", "[cache][version]")
{
    version_core v;
    v.add_lane("web");
    v.add_lane("jobs");
    CHECK(v.lanes() == std::vector<std::string>{"jobs", "web"});
    const auto web = v.wait("web", "7");
    const auto jobs = v.wait("jobs", "7");
    CHECK(v.reach("web", "7") == tickets{web});
    CHECK_FALSE(v.reached("jobs", "7"));
    CHECK(v.remove_lane("jobs") == tickets{jobs});
    CHECK(v.remove_lane("jobs").empty());
    CHECK(v.reach("jobs", "9").empty());
    CHECK_FALSE(v.covers("jobs"));
}

TEST_CASE("version core: an opaque version is reached when the lane is, or recently was, at exactly that version",
          "[cache][version]")
{
    version_core v;
    v.add_lane("");
    CHECK(v.reach("", "b-1").empty());
    const auto waits = v.wait("", "b-3");
    const auto other = v.wait("", "b-9");
    const auto number = v.wait("", "17");
    CHECK(v.reach("", "b-2").empty());
    CHECK(v.pass("", "b-3") == tickets{waits});
    CHECK(v.reach("", "b-4").empty());
    CHECK(v.reached("", "b-4"));
    CHECK(v.reached("", "b-3"));
    CHECK(v.reached("", "b-1"));
    CHECK_FALSE(v.reached("", "b-9"));
    CHECK(v.reached("", "0"));
    CHECK(v.pass("", "18").empty()); // passing a number has no effect: only reached numbers count
    CHECK(v.reach("", "17") == tickets{number});
    v.leave(other);
    CHECK(v.reach("", "b-9").empty());
    for (int i = 0; i < 1000; ++i) static_cast<void>(v.reach("", "c-" + std::to_string(i)));
    CHECK_FALSE(v.reached("", "b-3")); // the number of remembered versions is bounded
    CHECK(v.reached("", "c-999"));
}

TEST_CASE("version core: an abandoned wait is not returned, and a version that goes back ends no wait",
          "[cache][version]")
{
    version_core v;
    v.add_lane("");
    CHECK(v.reach("", "50").empty());
    const auto gone = v.wait("", "60");
    const auto stays = v.wait("", "60");
    v.leave(gone);
    v.leave(gone);
    CHECK(v.reach("", "20").empty()); // restored from a backup
    CHECK_FALSE(v.reached("", "50"));
    CHECK(v.reach("", "60") == tickets{stays});
}

TEST_CASE("version core: random waits end as in a plain list of them", "[cache][version][model]")
{
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        INFO("seed " << seed);
        std::mt19937_64 random(seed);
        const auto draw = [&random](std::uint64_t n) { return random() % n; };
        version_core v;
        v.add_lane("a");
        v.add_lane("b");
        std::map<std::string, std::uint64_t> at;
        std::map<version_core::ticket, std::pair<std::string, std::uint64_t>> waiting;
        for (int step = 0; step < 200; ++step) {
            const std::string lane = draw(2) ? "a" : "b";
            const std::uint64_t n = 1 + draw(300);
            switch (draw(4)) {
            case 0: {
                at[lane] = std::max(at[lane], n / 4);
                if (at[lane] == 0) break;
                tickets expected;
                for (const auto& [t, w] : waiting)
                    if (w.first == lane && w.second <= at[lane]) expected.push_back(t);
                for (const auto t : expected) waiting.erase(t);
                auto due = v.reach(lane, std::to_string(at[lane]));
                std::sort(due.begin(), due.end());
                REQUIRE(due == expected);
                break;
            }
            case 1:
                if (!waiting.empty()) {
                    v.leave(waiting.begin()->first);
                    waiting.erase(waiting.begin());
                }
                break;
            default: {
                const bool there = at[lane] != 0 && n <= at[lane];
                REQUIRE(v.reached(lane, std::to_string(n)) == there);
                if (!there) waiting.emplace(v.wait(lane, std::to_string(n)), std::pair{lane, n});
            }
            }
        }
    }
}
