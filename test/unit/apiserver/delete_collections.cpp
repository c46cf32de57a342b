// Tests of deletions of collections, which are done in steps between which other requests are answered.
#include "support.hpp"

#include "http/server_engine.hpp"
#include "state/resource_store.hpp"

#include <kubecoro/testing/coroutine_runner.hpp>

using namespace kubecoro;
using namespace kubecoro::apiserver;
using namespace kubecoro::test;

namespace {

const std::string maps = "/api/v1/namespaces/default/configmaps";
const std::string definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

void fill(cluster_state_core& state, const std::string& resource, int count, wall_time now)
{
    for (int i = 0; i < count; ++i)
        REQUIRE(state
                    .create({state.find(resource), "v1", "default"},
                            json::value{{"metadata", {{"name", "o" + std::to_string(1000 + i)}}}}, {}, now)
                    .has_value());
}

struct full : server
{
    http_request deletion{"DELETE", maps};

    explicit full(int count)
    {
        fill(state, "configmaps", count, now);
        deletion.headers.emplace_back("authorization", "Bearer " + token);
    }
    std::size_t left() { return state.objects("configmaps").size(); }
    http_response end(http_response r)
    {
        while (r.pending)
            if (auto done = r.pending->step(now)) r = std::move(*done);
        r.complete_body();
        return r;
    }
};

} // namespace

TEST_CASE("delete collection: other requests are answered between its steps", "[apiserver][collections]")
{
    full s(1'000);
    auto events = s.watch(maps + "?watch=1&resourceVersion=" + std::to_string(s.state.resource_version()));
    auto r = s.handler.begin(s.deletion, s.now);
    REQUIRE(r.pending);
    const auto first = 1'000 - s.left();
    CHECK(first > 0);
    CHECK(first <= 100);
    CHECK(s.expect(200, "GET", maps).at("items").as_array().size() == 1'000 - first);
    CHECK(lines(events->next(s.now)).size() == first);
    const auto done = s.end(std::move(r));
    CHECK(done.status == 200);
    CHECK(done.header("cache-control") == "no-cache, private");
    const auto list = json::parse(done.body);
    CHECK(list.at("kind") == "ConfigMapList");
    CHECK(list.at("items").as_array().size() == 1'000);
    CHECK(s.left() == 0);
}

TEST_CASE("delete collection: objects are deleted by their names as they are at their turn", "[apiserver][collections]")
{
    full s(300);
    auto r = s.handler.begin(s.deletion, s.now);
    REQUIRE(r.pending);
    s.expect(200, "DELETE", maps + "/o1150");
    s.expect(200, "DELETE", maps + "/o1200");
    s.add_config_map("default", "o1200");
    s.add_config_map("default", "later");
    CHECK(s.end(std::move(r)).status == 200);
    CHECK(s.left() == 1);
    s.expect(200, "GET", maps + "/later");
}

TEST_CASE("delete collection: a precondition that does not hold ends it", "[apiserver][collections]")
{
    full s(300);
    const auto version = s.expect(200, "GET", maps + "/o1000").at("metadata").at("resourceVersion");
    s.deletion.body = json::serialize(json::value{{"preconditions", {{"resourceVersion", version}}}});
    const auto refused = s.end(s.handler.begin(s.deletion, s.now));
    CHECK(refused.status == 409);
    CHECK(s.left() == 299);
}

TEST_CASE("delete collection: a dry run deletes nothing, and selectors choose", "[apiserver][collections]")
{
    full s(300);
    s.deletion.target = maps + "?dryRun=All";
    CHECK(json::parse(s.end(s.handler.begin(s.deletion, s.now)).body).at("items").as_array().size() == 300);
    CHECK(s.left() == 300);
    s.deletion.target = maps + "?fieldSelector=metadata.name!%3Do1007";
    CHECK(json::parse(s.end(s.handler.begin(s.deletion, s.now)).body).at("items").as_array().size() == 299);
    CHECK(s.left() == 1);
}

TEST_CASE("delete collection: it ends with its resource", "[apiserver][collections]")
{
    full s(0);
    s.expect(201, "POST", definitions,
             R"({"metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":)"
             R"({"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,"storage":true,"schema":)"
             R"({"openAPIV3Schema":{"type":"object"}}}]}})");
    fill(s.state, "widgets.example.com", 300, s.now);
    s.deletion.target = "/apis/example.com/v1/namespaces/default/widgets";
    auto r = s.handler.begin(s.deletion, s.now);
    REQUIRE(r.pending);
    s.expect(200, "DELETE", definitions + "/widgets.example.com");
    REQUIRE_FALSE(s.state.find("widgets.example.com"));
    const auto version = s.state.resource_version();
    CHECK(s.end(std::move(r)).status == 200);
    CHECK(s.state.resource_version() == version);
}

TEST_CASE("server_engine: requests have their turns between the steps of a long one", "[apiserver][engine]")
{
    testing::runner run;
    server_options options;
    options.time = run.shared_clock();
    const auto engine = std::make_shared<server_engine>(run.executor(), std::move(options));
    fill(engine->state(), "configmaps", 1'000, run.clock().wall_now());
    const auto ask = [&](std::string method) {
        http_request request{std::move(method), maps};
        request.user = user_info{"admin", {"system:masters"}};
        return engine->perform(std::move(request), {});
    };
    auto deletion = run.spawn(ask("DELETE"));
    auto list = run.spawn(ask("GET"));
    REQUIRE(run.run_until([&] { return list.done(); }));
    CHECK_FALSE(deletion.done());
    auto& listed = list.outcome().value().response;
    listed.complete_body();
    const auto seen = json::parse(listed.body).at("items").as_array().size();
    CHECK(seen > 0);
    CHECK(seen < 1'000);
    REQUIRE(run.run_until([&] { return deletion.done(); }));
    CHECK(deletion.outcome().value().response.status == 200);
    CHECK(engine->counters().requests == 2);

    SECTION("and a server that stops does not end them")
    {
        fill(engine->state(), "configmaps", 1'000, run.clock().wall_now());
        auto late = run.spawn(ask("DELETE"));
        REQUIRE(run.run_until([&] { return engine->state().objects("configmaps").size() < 1'000; }));
        CHECK(run.run(engine->stop()));
        REQUIRE(run.run_until([&] { return late.done(); }));
        CHECK(late.outcome().error() == cond::unreachable);
        CHECK_FALSE(engine->state().objects("configmaps").empty());
    }
    CHECK(run.run(engine->stop()));
}
