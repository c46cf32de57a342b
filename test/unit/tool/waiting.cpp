#include "cli/progress.hpp"
#include "select/condition_text.hpp"
#include "select/search_plan.hpp"

#include <kubecoro/test/catch.hpp>

using namespace kubecoro;
using namespace kubecoro::tool;
using namespace std::chrono_literals;

namespace {

bool met(const std::string& text, const char* o)
{
    auto parsed = parse_wait_condition(text);
    REQUIRE(parsed);
    return parsed->met(object::parse(o).value()).value();
}

constexpr const char* ready =
    R"({"metadata":{"name":"a","generation":2},"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}],"list":[{"n":1},{"n":2}]}})";

} // namespace

TEST_CASE("tool: conditions to wait for", "[tool]")
{
    CHECK(met("condition=Ready", ready));
    CHECK(met("condition=ready=true", ready));
    CHECK_FALSE(met("condition=Ready=False", ready));
    CHECK_FALSE(met("condition=Other", ready));
    CHECK(met("jsonpath={.status.phase}=Running", ready));
    CHECK(met("jsonpath=.status.phase='Running'", ready));
    CHECK_FALSE(met("jsonpath={.status.phase}=Pending", ready));
    CHECK(met("jsonpath={.status.phase}", ready));
    CHECK_FALSE(met("jsonpath={.status.none}", ready));
    CHECK(met(R"(jsonpath={.status.phase}="Running")", ready));
    CHECK(met(R"(jsonpath={.status.phase}='"Running"')", ready));
    CHECK(met(R"(jsonpath=.status.phase="Running")", ready));
    CHECK(met("jsonpath={.status.phase}= Running ", ready));
    CHECK_FALSE(met(R"(jsonpath={.status.phase}="Pending")", ready));
    CHECK(met("jsonpath={.status.list[1].n}=2", ready));
    CHECK(met(R"(jsonpath={.status.list[?(@.n!=1)].n}="2")", ready));
    CHECK(met(R"(jsonpath=.status.conditions[?(@.type=="Ready")].status=True)", ready));
    CHECK(met(R"(jsonpath={.status.conditions[?(@.type=="Ready")]})", ready));
    CHECK(met(R"(jsonpath={.status.conditions[?(@.type=="Ready")].status}=True)", ready));
    CHECK(met("create", ready));
    CHECK_FALSE(met("delete", ready));
    CHECK(parse_wait_condition("delete")->kind == wait_kind::gone);
    CHECK(parse_wait_condition("create")->kind == wait_kind::there);
}

TEST_CASE("tool: a value to wait for is one, and comparable", "[tool]")
{
    const auto wrong = [](const char* text) {
        return parse_wait_condition(text)->met(object::parse(ready).value()).error() == cond::invalid;
    };
    CHECK(wrong("jsonpath={.status.list[*].n}=2"));
    CHECK(wrong("jsonpath={.status.list[*].n}"));
    CHECK(wrong("jsonpath={.status.list}=x"));
}

TEST_CASE("tool: a condition of an older generation does not count", "[tool]")
{
    CHECK_FALSE(met(
        "condition=Ready",
        R"({"metadata":{"name":"a","generation":2},"status":{"observedGeneration":1,"conditions":[{"type":"Ready","status":"True"}]}})"));
    CHECK_FALSE(met(
        "condition=Ready",
        R"({"metadata":{"name":"a","generation":2},"status":{"conditions":[{"type":"Ready","status":"True","observedGeneration":1}]}})"));
    CHECK(met(
        "condition=Ready",
        R"({"metadata":{"name":"a","generation":2},"status":{"observedGeneration":1,"conditions":[{"type":"Ready","status":"True","observedGeneration":2}]}})"));
}

TEST_CASE("tool: no state is met by an object that does not exist", "[tool]")
{
    for (const char* text : {"condition=Ready", "jsonpath={.a}=b", "jsonpath={.a}", "create"})
        CHECK_FALSE(parse_wait_condition(text)->met(object()).value());
    CHECK(parse_wait_condition("delete")->met(object()).value());
}

TEST_CASE("tool: conditions that say nothing are refused", "[tool]")
{
    for (const char* text :
         {"", "Ready", "condition=", "condition", "jsonpath={.a", "jsonpath={.a}=", "jsonpath={.a}=''",
          "jsonpath={.a}=\"\"", "jsonpath=", "jsonpath={.a}x", "jsonpath={.a}==x", "jsonpath=.a=", "gone"})
        CHECK(parse_wait_condition(text).error() == cond::invalid);
}

TEST_CASE("tool: progress is shown from one second on", "[tool]")
{
    progress_core core;
    const time_point start{};
    CHECK_FALSE(core.line(start + 10s));
    core.doing("listing pods", start);
    CHECK_FALSE(core.line(start + 999ms));
    CHECK(core.line(start + 1s) == "listing pods (1 s)");
    core.doing("listing \x1b[2Jpods: 500", start + 2s);
    CHECK(core.line(start + 3s) == "listing  [2Jpods: 500 (3 s)");
    core.done();
    CHECK_FALSE(core.line(start + 5s));
    core.doing(std::string(500, 'x'), start + 5s);
    CHECK_FALSE(core.line(start + 5s));
    CHECK(core.line(start + 7s)->size() < 90);
}

TEST_CASE("tool: searches are repeated after growing pauses, and as late as the server asks", "[tool]")
{
    search_plan plan(7);
    const failure missing(cond::not_found);
    auto pause = plan.after(missing).value();
    CHECK(pause >= 1s);
    CHECK(pause <= 1500ms);
    for (int i = 0; i < 10; ++i) {
        pause = plan.after(missing).value();
        CHECK(pause >= 2s);
    }
    CHECK(pause >= 30s);
    CHECK(pause <= 45s);
    // Two that begin together do not ask together.
    CHECK(search_plan(1).after(missing) != search_plan(2).after(missing));

    server_status busy;
    busy.code = 429;
    busy.reason = "TooManyRequests";
    busy.retry_after = 100s;
    CHECK(plan.after(failure(busy)) == 100s);
    busy.retry_after = 24h;
    CHECK(plan.after(failure(busy)) == 5min);
}

TEST_CASE("tool: searches end where another one changes nothing", "[tool]")
{
    search_plan plan(1);
    CHECK_FALSE(plan.after(failure(cond::cancelled)));
    CHECK_FALSE(plan.after(failure(cond::invalid, "no such form")));
    server_status refused;
    refused.code = 422;
    refused.reason = "Invalid";
    CHECK(plan.after(failure(refused)));
    CHECK(plan.after(failure(cond::unreachable)));
}

TEST_CASE("tool: a search that fails as the last one did is no news", "[tool]")
{
    search_plan plan(1);
    const failure missing(cond::not_found, "no such kind");
    CHECK(plan.is_news(missing));
    CHECK_FALSE(plan.is_news(missing));
    CHECK(plan.is_news(failure(cond::unreachable, "refused")));
    CHECK(plan.is_news(missing));
}
