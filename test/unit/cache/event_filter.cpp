#include "listener/event_filter.hpp"

#include "listener/call_meter.hpp"

#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/objects.hpp>

#include <map>
#include <random>
#include <stdexcept>

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace std::chrono_literals;
namespace kt = kubecoro::testing;

namespace {

object pod(int version, std::string app, std::string uid = "u1")
{
    return kt::make_object({.ns = "web",
                            .name = "a",
                            .resource_version = std::to_string(version),
                            .uid = std::move(uid),
                            .labels = {{"app", std::move(app)}},
                            .members = {}});
}

struct counted
{
    int asked = 0;
    bool broken = false;
    event_filter filter{[this](const object& o) {
        ++asked;
        if (broken) throw std::runtime_error("no idea");
        return o.labels()["app"].as_string() == "shop";
    }};

    std::string hear(notification<object> n)
    {
        const auto out = filter.apply(n);
        if (!out.passes) return out.asked ? "-" : "- failed";
        const auto version = std::string(object_of(n).resource_version());
        const std::string failed = out.asked ? "" : " failed";
        if (const auto* a = std::get_if<added<object>>(&n))
            return (a->initial ? "initial " : "added ") + version + failed;
        if (std::holds_alternative<updated<object>>(n)) return "updated " + version + failed;
        return (std::get<deleted<object>>(n).final_state_unknown ? "lost " : "deleted ") + version + failed;
    }
};

} // namespace

TEST_CASE("filter: objects without a uid are identified by their keys", "[cache][filter]")
{
    const auto named = [](const std::string& name, int version, const std::string& app) {
        const auto text = R"({"metadata":{"namespace":"web","name":")" + name + R"(","resourceVersion":")" +
                          std::to_string(version) + R"(","labels":{"app":")" + app + R"("}}})";
        return object::parse(text).value();
    };
    counted f;
    CHECK(f.hear(added<object>{named("a", 1, "shop"), false}) == "added 1");
    CHECK(f.hear(added<object>{named("b", 2, "shop"), false}) == "added 2");
    CHECK(f.hear(updated<object>{named("c", 2, "web"), named("c", 3, "web")}) == "-");
    CHECK(f.hear(deleted<object>{named("a", 4, "shop"), false}) == "deleted 4");
    CHECK(f.hear(updated<object>{named("b", 2, "shop"), named("b", 5, "web")}) == "deleted 2");
    CHECK(f.hear(deleted<object>{named("b", 6, "web"), false}) == "-");
}

// client-go: TypedFilteringResourceEventHandler
TEST_CASE("filter: matching starts as an add, and ends as a deletion with the last delivered state", "[cache][filter]")
{
    counted f;
    CHECK(f.hear(added<object>{pod(1, "shop"), true}) == "initial 1");
    CHECK(f.hear(updated<object>{pod(1, "shop"), pod(2, "shop")}) == "updated 2");
    CHECK(f.hear(updated<object>{pod(2, "shop"), pod(3, "web")}) == "deleted 2");
    CHECK(f.hear(updated<object>{pod(3, "web"), pod(4, "web")}) == "-");
    CHECK(f.hear(updated<object>{pod(4, "web"), pod(5, "shop")}) == "added 5");
    CHECK(f.hear(deleted<object>{pod(6, "web"), true}) == "lost 6");
    CHECK(f.hear(added<object>{pod(7, "web", "u2"), true}) == "-");
    CHECK(f.hear(deleted<object>{pod(8, "shop", "u2")}) == "-");
    CHECK(f.asked == 6); // once per event, never for a deletion
}

TEST_CASE("filter: an exception keeps the previous match result and the chain of events", "[cache][filter]")
{
    counted f;
    f.broken = true;
    CHECK(f.hear(added<object>{pod(1, "shop")}) == "- failed");
    f.broken = false;
    CHECK(f.hear(updated<object>{pod(1, "shop"), pod(2, "shop")}) == "added 2");
    f.broken = true;
    CHECK(f.hear(updated<object>{pod(2, "shop"), pod(3, "web")}) == "updated 3 failed");
    f.broken = false;
    CHECK(f.hear(deleted<object>{pod(4, "web")}) == "deleted 4");
    f.broken = true;
    CHECK_FALSE(f.filter.assume(pod(5, "shop")));
}

TEST_CASE("filter: random results still give a chain of events", "[cache][filter][model]")
{
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        INFO("seed " << seed);
        std::mt19937_64 random(seed);
        event_filter f([&](const object&) {
            if (random() % 7 == 0) throw std::runtime_error("by chance");
            return random() % 2 == 0;
        });
        object real;
        object told;
        for (int v = 1; v < 60; ++v) {
            const auto uid = real ? std::string(real.uid()) : "u" + std::to_string(v);
            const object next = pod(v, "shop", uid);
            notification<object> n = added<object>{next};
            if (real && random() % 4 == 0)
                n = deleted<object>{next};
            else if (real)
                n = updated<object>{real, next};
            real = n.index() == 2 ? object() : next;
            if (!f.apply(n).passes) continue;
            REQUIRE((n.index() == 0) == !told);
            if (told) REQUIRE(object_of(n).uid() == told.uid());
            told = n.index() == 2 ? object() : object_of(n);
        }
    }
}

TEST_CASE("uids: UUIDs differ from each other and from other text", "[cache][filter]")
{
    uid_set s;
    const std::vector<std::string> uids{"12345678-9abc-def0-1234-56789abcdef0",
                                        "12345678-9abc-def0-1234-56789abcdef1",
                                        "22345678-9abc-def0-1234-56789abcdef0",
                                        "12345678-9ABC-def0-1234-56789abcdef0",
                                        "1234567--9abc-def0-1234-56789abcdef0",
                                        "u1",
                                        "",
                                        "12345678-9abc-def0-1234-56789abcdef00"};
    const auto of = [](const std::string& uid) { return pod(1, "shop", uid); };
    for (const auto& u : uids) {
        CHECK_FALSE(s.contains(of(u)));
        s.insert(of(u));
        s.insert(of(u));
        CHECK(s.contains(of(u)));
    }
    CHECK(s.size() == uids.size());
    for (const auto& u : uids) CHECK(s.erase(of(u)));
    for (const auto& u : uids) CHECK_FALSE(s.erase(of(u)));
    CHECK(s.size() == 0);
}

TEST_CASE("call meter: a streak of slow calls is reported once", "[cache][handlers]")
{
    call_meter m(5s, 2);
    const auto at = [](duration d) { return time_point(d); };
    CHECK(m.in_progress() == 0);
    m.begin(0, at(0s));
    CHECK(m.running(at(3s)) == 3s);
    CHECK_FALSE(m.overdue(at(5s)));
    CHECK(m.overdue(at(6s)) == 6s);
    CHECK_FALSE(m.overdue(at(7s)));
    CHECK_FALSE(m.end(0, at(8s))); // already reported
    m.begin(0, at(8s));
    CHECK_FALSE(m.end(0, at(20s))); // still the same streak
    CHECK(m.slowest() == 12s);
    m.begin(0, at(20s));
    CHECK_FALSE(m.end(0, at(21s)));
    m.begin(0, at(21s));
    m.begin(1, at(22s));
    CHECK(m.in_progress() == 2);
    CHECK(m.running(at(23s)) == 2s);
    CHECK(m.end(0, at(30s)) == 9s);
    CHECK(m.running(at(30s)) == 8s);
    CHECK(m.slow() == 3);

    call_meter never(0s, 1);
    never.begin(0, at(0s));
    CHECK_FALSE(never.overdue(at(1h)));
    CHECK_FALSE(never.end(0, at(1h)));
    CHECK(never.slow() == 0);
}
