// Conditions in structs.
#include <kubecoro/api/described.hpp>
#include <kubecoro/api/structs.hpp>
#include <kubecoro/api/typed_conditions.hpp>
#include <kubecoro/api/validation.hpp>
#include <kubecoro/apps_v1/deployment.hpp>
#include <kubecoro/core_v1/service.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/json/parse.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

using namespace kubecoro;
using namespace std::chrono_literals;
namespace json = boost::json;

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

const status_condition bare{.type = "Ready", .status = "Unknown"};

} // namespace

namespace farm {

struct barn_condition
{
    std::string type = {};
    std::string status = {};
    std::string lastTransitionTime = {};
    std::string reason = {};
    std::string message = {};
    std::string note = {};

    static std::vector<field_rule> field_rules()
    {
        return {{.field = "type", .required = true},
                {.field = "status", .required = true},
                {.field = "lastTransitionTime", .required = true},
                {.field = "reason", .required = true},
                {.field = "message", .required = true}};
    }
};
BOOST_DESCRIBE_STRUCT(barn_condition, (), (type, status, lastTransitionTime, reason, message, note))

struct barn_status
{
    std::vector<barn_condition> conditions = {};
};
BOOST_DESCRIBE_STRUCT(barn_status, (), (conditions))

struct barn_spec
{
    std::string owner = {};
    std::string colour = {};

    static std::vector<field_rule> field_rules() { return {{.field = "owner", .required = true}}; }
};
BOOST_DESCRIBE_STRUCT(barn_spec, (), (owner, colour))

struct barn
{
    static resource_type resource() { return {"farm.example.com", "v1", "barns", "Barn"}; }
    meta_v1::object_meta metadata = {};
    barn_spec spec = {};
    std::optional<barn_status> status = {};
};
BOOST_DESCRIBE_STRUCT(barn, (), (metadata, spec, status))

struct lists
{
    std::optional<std::vector<barn_condition>> conditions = {};
};

} // namespace farm

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

TEST_CASE("conditions of structs: one is found by its type, and can be changed", "[conditions]")
{
    apps_v1::deployment d;
    CHECK(find_condition(d, "Ready") == nullptr);
    d.status.conditions = {{.type = "Progressing", .status = "True"}, {.type = "Ready", .status = "False"}};
    REQUIRE(find_condition(d, "Ready") != nullptr);
    find_condition(d, "Ready")->status = "True";
    CHECK(d.status.conditions[1].status == "True");
    CHECK(find_condition(d, "Read") == nullptr);
    const own_kind without_status;
    CHECK(find_condition(without_status, "Ready") == nullptr);
    const own_kind with{.status = own_status{.conditions = {{.type = "Ready", .status = "True"}}}};
    REQUIRE(find_condition(with, "Ready") != nullptr);
    CHECK(find_condition(with, "Ready")->status == "True");
}

TEST_CASE("conditions of typed objects: one is read in place; a missing one reads as empty", "[conditions]")
{
    apps_v1::deployment d{.metadata = {.name = "web"}};
    d.status.conditions = {{.type = "Progressing", .status = "True"}, {.type = "Ready", .status = "False"}};
    const typed_object<apps_v1::deployment> seen(to_object(d).value());
    CHECK(find_condition(seen, "Ready").status() == "False");
    CHECK(find_condition(seen, "Progressing").status() == "True");
    CHECK_FALSE(find_condition(seen, "Read"));
    CHECK(find_condition(seen, "Read").status().empty());
    const typed_object<apps_v1::deployment> none;
    CHECK_FALSE(find_condition(none, "Ready"));
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

TEST_CASE("conditions of structs: a new one has reason and message, and later an empty text is the same as none",
          "[conditions]")
{
    core_v1::service s;
    CHECK(set_condition(s, bare, noon));
    CHECK(s.status.conditions[0].reason == "");
    CHECK(s.status.conditions[0].message == "");
    CHECK_FALSE(set_condition(s, bare, noon));
    // As a server returns it that drops empty texts.
    s.status.conditions[0].reason.reset();
    CHECK_FALSE(set_condition(s, bare, noon));
    CHECK_FALSE(s.status.conditions[0].reason);
    // As in JSON.
    json::object o;
    CHECK(set_condition(o, bare, noon));
    core_v1::service fresh;
    CHECK(set_condition(fresh, bare, noon));
    CHECK(json::parse(to_text(fresh)).at("status") == o.at("status"));
}

TEST_CASE("conditions of structs: required texts of described conditions are written, in lists alone", "[conditions]")
{
    farm::barn b;
    CHECK(set_condition(b, bare, noon));
    const auto schema = object_schema::of<farm::barn>().value();
    const auto written = json::parse(to_text(b));
    CHECK(schema.check(written));
    CHECK(written.at("status").at("conditions").at(0).at("message") == "");
    // Nothing requires it.
    CHECK_FALSE(written.at("status").at("conditions").at(0).as_object().contains("note"));
    // An applied part may leave a required text to another manager.
    b.spec.colour = "red";
    CHECK(json::parse(to_text(b)).at("spec") == json::value{{"colour", "red"}});
    CHECK(read_struct<farm::barn>(object::parse(to_text(b)).value()).value().status->conditions.at(0).reason.empty());
}

TEST_CASE("conditions of structs: removing one that is not there changes nothing", "[conditions]")
{
    farm::barn b;
    CHECK_FALSE(remove_condition(b, "Ready"));
    CHECK_FALSE(b.status);
    CHECK(to_text(b) == to_text(farm::barn()));
    b.status.emplace();
    const auto before = to_text(b);
    CHECK_FALSE(remove_condition(b, "Ready"));
    CHECK(to_text(b) == before);
    CHECK(set_condition(b, ready, noon));
    CHECK_FALSE(remove_condition(b, "Other"));
    CHECK(remove_condition(b, "Ready"));
    CHECK(to_text(b) == before);
    struct
    {
        std::optional<farm::lists> status = farm::lists{};
    } o;
    CHECK_FALSE(remove_condition(o, "Ready"));
    CHECK(o.status);
    CHECK_FALSE(o.status->conditions);
}
