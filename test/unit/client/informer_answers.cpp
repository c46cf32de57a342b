// An informer over answers that no API server sends: what is no list ends the wait for the sync, and what is cut is resumed.
#include "rest_fixture.hpp"

#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/test/catch.hpp>

using namespace kubecoro;
using namespace kubecoro::rest_test;
using namespace std::chrono_literals;

namespace {

struct bad_answer
{
    std::string body;
    std::string words;
    cond condition = cond::corrupt;
    std::string type = "application/json";
};

std::string event(const std::string& name, const std::string& version)
{
    return R"({"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":")" + name +
           R"(","resourceVersion":")" + version + "\"}}}\n";
}

/// With lists, not streams.
factory_options listing()
{
    factory_options o;
    o.policy.watch_list = false;
    o.seed = 1;
    return o;
}

} // namespace

TEST_CASE("informer over a client: what is no list ends the wait for the sync, and says why and which request",
          "[client][rest]")
{
    const std::vector<bad_answer> all{
        {R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5"}})", "the PodList has no items"},
        {R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[]})", "no resourceVersion"},
        {R"({"kind":"PodList","apiVersion":"v1","items":[]})", "no resourceVersion"},
        {R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":5},"items":[]})", "no resourceVersion"},
        {R"({"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[]})", "v1 NodeList"},
        {R"({"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"5"}})", "got kind Pod"},
        {"{}", "neither kind nor items"},
        {"[]", "got an array"},
        {"null", "expected a list"},
        {"", "unexpected end of text"},
        {"<html>Sign in</html>", "malformed JSON"},
        {"<html>Sign in</html>", "is there a proxy or a login page", cond::corrupt, "text/html"},
        {"ok", "text/plain", cond::corrupt, "text/plain"},
        {R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"ask the owner","reason":"Forbidden","code":403})",
         "ask the owner", cond::forbidden},
    };
    for (const auto& bad : all) {
        INFO(bad.body);
        world the;
        const reply first{.body = {bad.body}, .headers = {{"content-type", bad.type}}};
        the.net->replies = {first, first, {.body = {list_of("a", "5")}}, {.hangs_in_body = true}};
        auto c = the.make();
        informer_factory informers(c, listing());
        auto all_pods = informers.get<untyped::pod>();
        informers.start();
        const auto synced = the.run.run(all_pods.has_synced());
        REQUIRE_FALSE(synced);
        INFO(synced.error().describe());
        CHECK(synced.error() == bad.condition);
        CHECK(synced.error().describe().find(bad.words) != std::string::npos);
        CHECK(synced.error().describe().find("GET /api/v1/pods?") != std::string::npos);
        CHECK(the.net->seen.size() == 1);
        // It goes on with the usual delays.
        CHECK(the.run.run_until([&] { return all_pods.synced(); }));
        CHECK(the.net->seen.size() >= 3);
        CHECK(all_pods.lister().size() == 1);
        CHECK(the.run.run(informers.stop()));
    }
}

TEST_CASE("informer over a client: a null among the items costs that item, and the log says so", "[client][rest]")
{
    world the;
    the.net->replies = {{.body = {R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5"},)"
                                  R"("items":[null,{"metadata":{"name":"a","namespace":"web"}}]})"}},
                        {.hangs_in_body = true}};
    auto c = the.make();
    informer_factory informers(c, listing());
    auto in_web = informers.get<untyped::pod>({.namespaces = {"web"}});
    informers.start();
    REQUIRE(the.run.run(in_web.has_synced()));
    CHECK(in_web.lister().size() == 1);
    CHECK(in_web.stats().reflector.skipped == 1);
    const auto tells = [](const std::string& line) { return line.find("item 0 of the list is null") != line.npos; };
    CHECK(the.run.run_until([&] { return std::count_if(the.lines.begin(), the.lines.end(), tells) == 1; }));
    CHECK(the.run.run(informers.stop()));
}

TEST_CASE("informer over a client: a watch whose body ends within an event is resumed, without a list",
          "[client][rest]")
{
    world the;
    const auto next = event("c", "7");
    the.net->replies = {{.body = {list_of("a", "5")}},
                        {.body = {event("b", "6"), next.substr(0, next.size() / 2)}},
                        {.body = {next}, .hangs_in_body = true}};
    auto c = the.make();
    informer_factory informers(c, listing());
    auto all = informers.get<untyped::pod>();
    informers.start();
    REQUIRE(the.run.run(all.has_synced()));
    CHECK(the.run.run_until([&] { return all.lister().size() == 3; }));
    REQUIRE(the.net->seen.size() == 3);
    CHECK(the.net->seen[2].target.find("resourceVersion=6&") != std::string::npos);
    const auto s = all.stats().reflector;
    CHECK(s.lists == 1);
    CHECK(s.reconnects == 1);
    CHECK(s.decode_errors == 0);
    CHECK(the.run.run(informers.stop()));
}
