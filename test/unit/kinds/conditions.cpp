// Conditions in structs.
#include <kubecoro/api/typed_conditions.hpp>
#include <kubecoro/apps_v1/deployment.hpp>
#include <kubecoro/core_v1/service.hpp>
#include <kubecoro/test/catch.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

using namespace kubecoro;
using namespace std::chrono_literals;

namespace {

const wall_time noon = std::chrono::sys_days{std::chrono::year{2026} / 1 / 31} + 12h;
const status_condition ready{.type = "Ready", .status = "True", .reason = "AllAvailable", .message = "3 of 3"};

/// As people write them.
struct own_condition
{
    std::string type = {};
    std::string status = {};
    std::string lastTransitionTime = {};
    std::string reason = {};
    std::string message = {};
    std::int64_t observedGeneration = 0;
};
struct own_status
{
    std::vector<own_condition> conditions = {};
};
struct own_kind
{
    struct
    {
        std::optional<std::int64_t> generation = {};
    } metadata = {};
    std::optional<own_status> status = {};
};

} // namespace

TEST_CASE("conditions of structs: one is made, and changed when something differs", "[conditions]")
{
    core_v1::service s;
    s.metadata.generation = 4;
    CHECK(set_condition(s, ready, noon));
    REQUIRE(s.status.conditions.size() == 1);
    CHECK(s.status.conditions[0].type == "Ready");
    CHECK(s.status.conditions[0].observedGeneration == 4);
    CHECK(s.status.conditions[0].lastTransitionTime->canonical() == "2026-01-31T12:00:00Z");
    CHECK_FALSE(set_condition(s, ready, noon + 1h));
    auto other = ready;
    other.message = "3 of 3, again";
    CHECK(set_condition(s, other, noon + 1h));
    CHECK(s.status.conditions[0].lastTransitionTime->canonical() == "2026-01-31T12:00:00Z");
    other.status = "False";
    CHECK(set_condition(s, other, noon + 1h));
    CHECK(s.status.conditions[0].lastTransitionTime->canonical() == "2026-01-31T13:00:00Z");
    CHECK(s.status.conditions.size() == 1);
}

TEST_CASE("conditions of structs: a new generation is a change, one that is given counts", "[conditions]")
{
    core_v1::service s;
    CHECK(set_condition(s, ready, noon));
    CHECK_FALSE(s.status.conditions[0].observedGeneration);
    s.metadata.generation = 5;
    CHECK(set_condition(s, ready, noon));
    auto older = ready;
    older.observed_generation = 3;
    CHECK(set_condition(s, older, noon));
    CHECK(s.status.conditions[0].observedGeneration == 3);
}

TEST_CASE("conditions of structs: kinds without an observed generation get none, and other conditions stay",
          "[conditions]")
{
    apps_v1::deployment d;
    d.metadata.generation = 4;
    d.status.conditions.push_back({.type = "Progressing", .status = "True"});
    auto c = ready;
    c.observed_generation = 4;
    CHECK(set_condition(d, c, noon));
    CHECK_FALSE(set_condition(d, c, noon + 1h));
    CHECK(d.status.conditions.size() == 2);
    CHECK(remove_condition(d, "Ready"));
    CHECK_FALSE(remove_condition(d, "Ready"));
    REQUIRE(d.status.conditions.size() == 1);
    CHECK(d.status.conditions[0].type == "Progressing");
}

TEST_CASE("conditions of structs: an optional status is made, and texts may be times", "[conditions]")
{
    own_kind o{.metadata = {.generation = 2}};
    CHECK(set_condition(o, ready, noon));
    REQUIRE(o.status);
    CHECK(o.status->conditions.at(0).lastTransitionTime == "2026-01-31T12:00:00Z");
    CHECK(o.status->conditions.at(0).observedGeneration == 2);
    CHECK_FALSE(set_condition(o, ready, noon + 1h));
}

TEST_CASE("conditions of structs: an empty text is the same as none", "[conditions]")
{
    core_v1::service s;
    const status_condition bare{.type = "Ready", .status = "Unknown"};
    CHECK(set_condition(s, bare, noon));
    CHECK_FALSE(s.status.conditions[0].reason);
    CHECK_FALSE(set_condition(s, bare, noon));
}
