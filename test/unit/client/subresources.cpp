// Scales, evictions, tokens, ephemeral containers, bindings, collections: requests and answers over a scripted transport.
#include <kubecoro/client/subresources.hpp>

#include "rest_fixture.hpp"

#include <boost/json/value.hpp>

using namespace kubecoro;
using namespace kubecoro::rest_test;
using namespace std::chrono_literals;

namespace {

const auto deployments = untyped::deployment::resource();
const std::string a_scale =
    R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"d","namespace":"web","uid":"u1",)"
    R"("resourceVersion":"7"},"spec":{"replicas":3},"status":{"replicas":2,"selector":"app=d"}})";
const std::string success = R"({"kind":"Status","apiVersion":"v1","status":"Success","code":201})";
const std::string nothing_there = R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound",)"
                                  R"("message":"the server could not find the requested resource",)"
                                  R"("details":{},"code":404})";

std::string budget(const std::string& cause)
{
    return R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"TooManyRequests","code":429,)"
           R"("message":"Cannot evict pod as it would violate the pod's disruption budget.",)"
           R"("details":{"causes":[{"reason":")" +
           cause + R"(","message":"The disruption budget b needs 2 healthy pods and has 2 currently"}]}})";
}

/// The last request: "METHOD target body".
std::string last(const world& the)
{
    const auto& r = the.net->seen.back();
    return r.method + " " + r.target + " " + r.body;
}

bool says(const failure& f, std::string_view words) { return f.describe().find(words) != std::string::npos; }

} // namespace

TEST_CASE("scale: read and changed", "[client][subresources]")
{
    world the;
    auto c = the.make();
    the.net->replies = {{.body = {a_scale}}, {.body = {a_scale}}, {.body = {a_scale}}};
    const auto now = the.run.run(get_scale(c, deployments, "web", "d")).value();
    CHECK(now == scale_state{3, 2, "app=d", "7", "u1"});
    CHECK(last(the) == "GET /apis/apps/v1/namespaces/web/deployments/d/scale ");
    CHECK(the.run.run(set_scale(c, deployments, "web", "d", 5)).value() == now);
    CHECK(last(the) == R"(PATCH /apis/apps/v1/namespaces/web/deployments/d/scale {"spec":{"replicas":5}})");
    CHECK(the.net->seen.back().content_type == "application/merge-patch+json");
    scale_options o{.resource_version = "9", .write = {.dry_run = true, .field_manager = "m"}};
    REQUIRE(the.run.run(set_scale(c, deployments, "web", "d", 0, o)));
    CHECK(last(the) == "PATCH /apis/apps/v1/namespaces/web/deployments/d/scale?dryRun=All&fieldManager=m "
                       R"({"spec":{"replicas":0},"metadata":{"resourceVersion":"9"}})");
}

TEST_CASE("scale: changed only from an expected number", "[client][subresources]")
{
    world the;
    auto c = the.make();
    the.net->replies = {{.body = {a_scale}}, {.body = {a_scale}}, {.body = {a_scale}}};
    scale_options from_two{.only_from = 2};
    const auto refused = the.run.run(set_scale(c, deployments, "web", "d", 5, from_two));
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == cond::conflict);
    CHECK(says(refused.error(), "deployments.apps \"web/d\": expected 2 replicas, and found 3"));
    CHECK(the.net->seen.size() == 1);
    scale_options from_three{.only_from = 3};
    REQUIRE(the.run.run(set_scale(c, deployments, "web", "d", 5, from_three)));
    // The version guards against a change in between.
    CHECK(the.net->seen.back().body == R"({"spec":{"replicas":5},"metadata":{"resourceVersion":"7"}})");
}

TEST_CASE("scale: kinds without it, objects that are missing, and other kinds", "[client][subresources]")
{
    world the;
    auto c = the.make();
    const std::string no_object = R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound",)"
                                  R"("details":{"name":"d"},"code":404})";
    the.net->replies = {{.status = 404, .body = {nothing_there}},
                        {.status = 404, .body = {nothing_there}},
                        {.status = 404, .body = {no_object}},
                        {.body = {pod("d")}}};
    const auto none = the.run.run(get_scale(c, pods, "web", "d"));
    CHECK(none.error() == cond::not_found);
    CHECK(says(none.error(), "pods have no subresource scale"));
    CHECK(says(the.run.run(set_scale(c, pods, "web", "d", 1)).error(), "pods have no subresource scale"));
    CHECK_FALSE(says(the.run.run(get_scale(c, deployments, "web", "d")).error(), "subresource"));
    const auto other = the.run.run(get_scale(c, deployments, "web", "d"));
    CHECK(other.error() == cond::corrupt);
    CHECK(says(other.error(), "the scale of deployments.apps \"web/d\" cannot be read"));
}

TEST_CASE("eviction: the request and a success", "[client][subresources]")
{
    world the;
    auto c = the.make();
    the.net->replies = {{.status = 201, .body = {success}}, {.status = 201, .body = {success}}};
    REQUIRE(the.run.run(evict(c, "web", "p")));
    CHECK(last(the) == "POST /api/v1/namespaces/web/pods/p/eviction "
                       R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"p","namespace":"web"}})");
    delete_options o{.dry_run = true, .grace_period = 5s, .uid = "u1"};
    REQUIRE(the.run.run(evict(c, "web", "p", o)));
    CHECK(the.net->seen.back().body ==
          R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"p","namespace":"web"},)"
          R"("deleteOptions":{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":5,)"
          R"("preconditions":{"uid":"u1"},"dryRun":["All"]}})");
    CHECK(the.run.run(evict(c, "", "p")).error() == cond::invalid);
}

TEST_CASE("eviction: a disruption budget differs from a busy server, and not waited for", "[client][subresources]")
{
    world the;
    auto c = the.make();
    the.net->replies = {{.status = 429, .body = {budget("DisruptionBudget")}, .headers = {{"retry-after", "10"}}},
                        {.status = 429, .body = {budget("Other")}, .headers = {{"retry-after", "1"}}},
                        {.status = 500, .body = {"more than one PodDisruptionBudget"}}};
    const auto refused = the.run.run(evict(c, "web", "p"));
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == cond::retry_later);
    CHECK(is_disruption_budget(refused.error()));
    CHECK(says(refused.error(), "its disruption budget allows no disruption now"));
    CHECK(refused.error().status()->causes.at(0).message.find("needs 2 healthy pods") != std::string::npos);
    CHECK(refused.error().retry_after() == 10s);
    CHECK(the.net->seen.size() == 1);
    const auto busy = the.run.run(evict(c, "web", "p"));
    CHECK(busy.error() == cond::retry_later);
    CHECK_FALSE(is_disruption_budget(busy.error()));
    CHECK_FALSE(is_disruption_budget(the.run.run(evict(c, "web", "p")).error()));
    CHECK_FALSE(is_disruption_budget(failure(cond::retry_later)));
}

TEST_CASE("eviction: a failure in an accepted answer is a failure", "[client][subresources]")
{
    world the;
    auto c = the.make();
    the.net->replies = {{.status = 201,
                         .body = {R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
                                  R"("message":"This pod has more than one PodDisruptionBudget","code":500})"}},
                        {.status = 201, .body = {"{"}}};
    const auto failed = the.run.run(evict(c, "web", "p"));
    REQUIRE_FALSE(failed);
    CHECK(failed.error() == cond::internal);
    CHECK(says(failed.error(), "more than one PodDisruptionBudget"));
    CHECK(the.run.run(evict(c, "web", "p")));
}

TEST_CASE("tokens: the request and the answer", "[client][subresources]")
{
    world the;
    auto c = the.make();
    const std::string answer = R"({"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","metadata":{},)"
                               R"("status":{"token":"s3cr3t","expirationTimestamp":"2026-11-21T07:09:05Z"}})";
    the.net->replies = {{.status = 201, .body = {answer}}, {.status = 201, .body = {answer}}};
    const auto token = the.run.run(create_token(c, "web", "robot")).value();
    CHECK(token.token == "s3cr3t");
    CHECK(token.expires == "2026-11-21T07:09:05Z");
    CHECK(last(the) == "POST /api/v1/namespaces/web/serviceaccounts/robot/token "
                       R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{}})");
    token_options o{.audiences = {"a", "b"}, .lifetime = 10min, .bound_to = {.kind = "Pod", .name = "p", .uid = "u1"}};
    REQUIRE(the.run.run(create_token(c, "web", "robot", o)));
    CHECK(the.net->seen.back().body ==
          R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{"audiences":["a","b"],)"
          R"("expirationSeconds":600,"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"p","uid":"u1"}}})");
    for (const auto& line : the.lines) CHECK(line.find("s3cr3t") == std::string::npos);
}

TEST_CASE("tokens: answers without one, and impossible bindings", "[client][subresources]")
{
    world the;
    auto c = the.make();
    the.net->replies = {{.body = {R"({"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","status":{}})"}},
                        {.body = {pod("robot")}}};
    CHECK(the.run.run(create_token(c, "web", "robot")).error() == cond::corrupt);
    CHECK(the.run.run(create_token(c, "web", "robot")).error() == cond::corrupt);
    token_options service{.bound_to = {.kind = "Service", .name = "s"}};
    CHECK(the.run.run(create_token(c, "web", "robot", service)).error() == cond::invalid);
    token_options unnamed{.bound_to = {.kind = "Pod"}};
    CHECK(the.run.run(create_token(c, "web", "robot", unnamed)).error() == cond::invalid);
    CHECK(the.net->seen.size() == 2);
}

TEST_CASE("ephemeral containers: a patch that adds one", "[client][subresources]")
{
    world the;
    auto c = the.make();
    the.net->replies = {{.body = {pod("p")}}};
    const boost::json::value shell{{"name", "debug"}, {"image", "busybox"}};
    REQUIRE(the.run.run(add_ephemeral_container(c, "web", "p", shell)));
    CHECK(last(the) == "PATCH /api/v1/namespaces/web/pods/p/ephemeralcontainers "
                       R"({"spec":{"ephemeralContainers":[{"name":"debug","image":"busybox"}]}})");
    CHECK(the.net->seen.back().content_type == "application/strategic-merge-patch+json");
    const boost::json::value nameless{{"image", "busybox"}};
    for (const auto& bad : {nameless, boost::json::value("debug"), boost::json::value{{"name", ""}, {"a", 1}}})
        CHECK(the.run.run(add_ephemeral_container(c, "web", "p", bad)).error() == cond::invalid);
    CHECK(the.net->seen.size() == 1);
}

TEST_CASE("bindings: a pod to a node", "[client][subresources]")
{
    world the;
    auto c = the.make();
    the.net->replies = {{.status = 201, .body = {success}}, {.status = 201, .body = {success}}};
    REQUIRE(the.run.run(bind_pod(c, "web", "p", "n1")));
    CHECK(last(the) == "POST /api/v1/namespaces/web/pods/p/binding "
                       R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"p","namespace":"web"},)"
                       R"("target":{"apiVersion":"v1","kind":"Node","name":"n1"}})");
    REQUIRE(the.run.run(bind_pod(c, "web", "p", "n1", "u1")));
    CHECK(the.net->seen.back().body.find(R"("uid":"u1")") != std::string::npos);
    CHECK(the.run.run(bind_pod(c, "web", "p", "")).error() == cond::invalid);
    CHECK(the.net->seen.size() == 2);
}

TEST_CASE("collections: what a deletion returns", "[client][subresources]")
{
    world the;
    auto c = the.make();
    the.net->replies = {{.body = {list_of("a", "5")}},
                        {.body = {R"({"kind":"Status","apiVersion":"v1","status":"Success"})"}},
                        {.body = {R"({"kind":"NodeList","apiVersion":"v1","items":[]})"}},
                        {.status = 405, .body = {"no"}},
                        {.body = {R"({"kind":"Status","apiVersion":"v1",)", R"("status":"Success"})"}},
                        {.body = {R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":403})"}},
                        {.body = {"nonsense"}},
                        {.body = {list_of("a", "5").substr(0, 60)}}};
    list_options which{.label_selector = "a=b"};
    const auto gone = the.run.run(c.remove_collection(pods, "web", which)).value();
    REQUIRE(gone.items.size() == 1);
    CHECK(gone.items[0].name() == "a");
    CHECK(last(the) == "DELETE /api/v1/namespaces/web/pods?labelSelector=a%3Db ");
    CHECK(the.run.run(c.resource(pods, "web").remove_collection()).value().items.empty());
    CHECK(the.run.run(c.remove_collection(pods, "web")).error() == cond::corrupt);
    CHECK(the.run.run(c.remove_collection(pods, "web")).error() == cond::invalid);
    CHECK(the.run.run(c.remove_collection(pods, "")).error() == cond::invalid);
    CHECK(the.net->seen.size() == 4);
    CHECK(the.run.run(c.remove_collection(pods, "web")).value().items.empty());
    CHECK(the.run.run(c.remove_collection(pods, "web")).error() == cond::forbidden);
    CHECK(the.run.run(c.remove_collection(pods, "web")).error() == cond::corrupt);
    CHECK(the.run.run(c.remove_collection(pods, "web")).error() == cond::unreachable);
}

TEST_CASE("client: any subresource in every verb, and get with options", "[client][subresources]")
{
    world the;
    auto c = the.make().resource(pods, "web");
    for (int i = 0; i < 6; ++i) the.net->replies.push_back({.body = {pod("p")}});
    REQUIRE(the.run.run(c.get("p", "x")));
    CHECK(last(the) == "GET /api/v1/namespaces/web/pods/p/x ");
    REQUIRE(the.run.run(c.create_subresource("p", "x", "{}")));
    CHECK(last(the) == "POST /api/v1/namespaces/web/pods/p/x {}");
    REQUIRE(the.run.run(c.update("p", "{}", {}, "x")));
    CHECK(last(the) == "PUT /api/v1/namespaces/web/pods/p/x {}");
    REQUIRE(the.run.run(c.patch("p", patch_kind::json, "[]", {}, "x")));
    CHECK(last(the) == "PATCH /api/v1/namespaces/web/pods/p/x []");
    REQUIRE(the.run.run(c.remove("p", {}, "x")));
    CHECK(last(the) == "DELETE /api/v1/namespaces/web/pods/p/x ");
    get_options any{.resource_version = "0"};
    REQUIRE(the.run.run(c.get("p", any)));
    CHECK(last(the) == "GET /api/v1/namespaces/web/pods/p?resourceVersion=0 ");
}
