// Tests of the objects of a streamed list against a plain map.

#include "listener/initial_events.hpp"

#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/objects.hpp>

#include <map>
#include <random>
#include <string>

using namespace kubecoro;
using namespace kubecoro::detail;
namespace kt = kubecoro::testing;

TEST_CASE("initial events: additions, changes and deletions leave each object once, in its newest state",
          "[cache][reflector][model]")
{
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        initial_events events;
        std::map<std::string, std::string> naive;
        const auto kinds = 1 + random() % 3; // the first third only adds
        for (auto steps = random() % 60; steps > 0; --steps) {
            const auto name = "p" + std::to_string(random() % 12);
            const auto version = std::to_string(steps);
            auto pod = kt::make_pod("web", name, version);
            switch (random() % kinds) {
            case 0:
                if (kinds == 1 && naive.contains(name)) break; // a server adds nothing twice
                events.add(std::move(pod));
                naive[name] = version;
                break;
            case 1:
                events.change(std::move(pod));
                naive[name] = version;
                break;
            default:
                events.remove(pod.key());
                naive.erase(name);
            }
        }
        events.remove({"web", "absent"});
        std::map<std::string, std::string> got;
        const auto size = events.size();
        for (const auto& o : events.take()) got[std::string(o.name())] = o.resource_version();
        CHECK(got == naive);
        if (kinds == 1) CHECK(size == naive.size());
        CHECK(events.size() == 0);
    }
}
