// The writing verbs over a scripted transport: which requests they send, and how they end.
#include "rest/kinds_core.hpp"
#include "rest_fixture.hpp"

#include <kubecoro/base/try.hpp>
#include <kubecoro/client/writing.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::rest_test;
namespace asio = boost::asio;
namespace json = boost::json;

namespace {

const resource_type maps = untyped::config_map::resource();
const object_key shop{"web", "shop"};

std::string pod_text(const std::string& version, const std::string& more = {}, const std::string& uid = "u-1")
{
    return R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"shop","namespace":"web","uid":")" + uid +
           R"(","resourceVersion":")" + version + '"' + more + R"(},"status":{"phase":"Running","ready":1}})";
}

object a_pod(const std::string& version = "7", const std::string& more = {})
{
    return object::parse(pod_text(version, more)).value();
}

std::string refusal(int code, const std::string& reason, const std::string& more = {})
{
    return R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":")" + reason +
           R"(","code":)" + std::to_string(code) + more + "}";
}

reply refuses(int code, const std::string& reason, const std::string& more = {})
{
    return {.status = code, .body = {refusal(code, reason, more)}};
}

reply event(const std::string& type, const std::string& text)
{
    return {.body = {R"({"type":")" + type + R"(","object":)" + text + "}\n"}};
}

const std::string other_uid = R"(,"details":{"causes":[{"reason":"FieldValueInvalid","field":"metadata.uid"}]})";

} // namespace

TEST_CASE("writing: get_or_none tells an absent object from a failure", "[client][writing]")
{
    world the;
    the.net->replies = {refuses(404, "NotFound"), {.body = {pod_text("7")}}, refuses(403, "Forbidden")};
    const auto c = the.make();
    const auto none = the.run.run(get_or_none(c, pods, shop));
    REQUIRE(none);
    CHECK_FALSE(*none);
    CHECK(the.run.run(get_or_none(c, pods, shop))->resource_version() == "7");
    CHECK(the.run.run(get_or_none(c, pods, shop)).error() == cond::forbidden);
}

TEST_CASE("writing: edits that were late together do not try again together", "[client][writing]")
{
    const auto pauses = [](std::optional<std::uint64_t> seed) {
        world the;
        client_options with;
        with.seed = seed;
        const auto c = the.make({}, std::move(with));
        std::vector<duration> out;
        for (int edit = 0; edit < 3; ++edit) {
            the.net->replies = {{.body = {pod_text("7")}},
                                refuses(409, "Conflict"),
                                {.body = {pod_text("8")}},
                                {.body = {pod_text("9")}}};
            const auto begun = the.run.clock().now();
            REQUIRE(
                the.run.run(retry_on_conflict(c, pods, shop, [](json::object& o) { set_label(o, "app", "shop"); })));
            out.push_back(the.run.clock().now() - begun);
        }
        return out;
    };
    const auto some = pauses({});
    CHECK(some[0] != some[1]);
    CHECK(some[1] != some[2]);
    CHECK(pauses({}) != some); // nor with those of another process
    CHECK(pauses(7) == pauses(7));
    CHECK(pauses(7) != pauses(8));
}

TEST_CASE("writing: create_or_update waits out a conflict by the client's clock", "[client][writing]")
{
    world the;
    the.net->replies = {
        {.body = {pod_text("7")}}, refuses(409, "Conflict"), {.body = {pod_text("8")}}, {.body = {pod_text("9")}}};
    const auto c = the.make();
    edit_options how;
    how.write.field_manager = "me";
    const auto done = the.run.run(create_or_update(
        c, pods, shop, [](json::object& o) { set_label(o, "app", "shop"); }, how));
    REQUIRE(done);
    CHECK(done->effect == write_effect::updated);
    CHECK(done->now.resource_version() == "9");
    REQUIRE(the.net->seen.size() == 4);
    CHECK(the.net->seen[0].method == "GET");
    CHECK(the.net->seen[1].method == "PUT");
    CHECK(the.net->seen[1].target == "/api/v1/namespaces/web/pods/shop?fieldManager=me");
    CHECK(the.net->seen[3].body.find(R"("resourceVersion":"8")") != std::string::npos);
    CHECK(the.net->seen[3].body.find(R"("labels":{"app":"shop"})") != std::string::npos);
}

TEST_CASE("writing: create_or_update creates", "[client][writing]")
{
    world the;
    the.net->replies = {refuses(404, "NotFound"), {.status = 201, .body = {pod_text("1")}}};
    const auto c = the.make();
    const auto done = the.run.run(create_or_patch(c, pods, shop, [](json::object& o) { set_label(o, "app", "shop"); }));
    REQUIRE(done);
    CHECK(done->effect == write_effect::created);
    CHECK(the.net->seen[1].method == "POST");
    CHECK(the.net->seen[1].target == "/api/v1/namespaces/web/pods");
    CHECK(the.net->seen[1].body ==
          R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"shop","namespace":"web","labels":{"app":"shop"}}})");
}

TEST_CASE("writing: patch_status sends what is new, for this very object", "[client][writing]")
{
    world the;
    the.net->replies = {{.body = {pod_text("8")}}};
    const auto c = the.make();
    const auto same = the.run.run(patch_status(c, a_pod(), {{"ready", 1}}));
    REQUIRE(same);
    CHECK(same->resource_version() == "7");
    CHECK(the.net->seen.empty());
    const auto absent = the.run.run(patch_status(c, a_pod(), {{"message", nullptr}}));
    REQUIRE(absent);
    CHECK(the.net->seen.empty());

    const auto done = the.run.run(patch_status(c, a_pod(), {{"ready", 2}, {"phase", nullptr}}));
    REQUIRE(done);
    REQUIRE(the.net->seen.size() == 1);
    CHECK(the.net->seen[0].method == "PATCH");
    CHECK(the.net->seen[0].content_type == "application/merge-patch+json");
    CHECK(the.net->seen[0].target == "/api/v1/namespaces/web/pods/shop/status");
    CHECK(the.net->seen[0].body == R"({"metadata":{"uid":"u-1"},"status":{"ready":2,"phase":null}})");
}

TEST_CASE("writing: the status of an object is not written to its successor", "[client][writing]")
{
    world the;
    the.net->replies = {refuses(422, "Invalid", other_uid), refuses(422, "Invalid")};
    const auto c = the.make();
    const auto gone = the.run.run(patch_status(c, a_pod(), {{"ready", 2}}));
    CHECK(gone.error() == cond::not_found);
    CHECK(gone.error().message().find("another object has its name") != std::string::npos);
    CHECK(the.run.run(patch_status(c, a_pod(), {{"ready", 2}})).error() == cond::invalid);
}

TEST_CASE("writing: edit_status patches the subresource at the version it read", "[client][writing]")
{
    world the;
    the.net->replies = {refuses(409, "Conflict"), {.body = {pod_text("8")}}, {.body = {pod_text("9")}}};
    const auto c = the.make();
    const auto at = the.run.clock().wall_now();
    const auto done = the.run.run(edit_status(c, a_pod(), [at](json::object& o) {
        status_condition ready{.type = "Ready", .status = "True"};
        set_condition(o, ready, at);
    }));
    REQUIRE(done);
    REQUIRE(the.net->seen.size() == 3);
    CHECK(the.net->seen[0].target == "/api/v1/namespaces/web/pods/shop/status");
    CHECK(the.net->seen[1].target == "/api/v1/namespaces/web/pods/shop");
    CHECK(the.net->seen[2].body.find(R"("metadata":{"resourceVersion":"8"})") != std::string::npos);
}

TEST_CASE("writing: finalizers come and go by uid, and with the version they were read at", "[client][writing]")
{
    const std::string held = R"(,"finalizers":["a/b"])";
    world the;
    the.net->replies = {{.body = {pod_text("8", held)}}};
    const auto c = the.make();
    const auto has = the.run.run(ensure_finalizer(c, a_pod("7", held), "a/b"));
    REQUIRE(has);
    CHECK(the.net->seen.empty());
    const auto added = the.run.run(ensure_finalizer(c, a_pod(), "a/b"));
    REQUIRE(added);
    CHECK(has_finalizer(*added, "a/b"));
    CHECK(the.net->seen[0].body == R"({"metadata":{"finalizers":["a/b"],"resourceVersion":"7"}})");

    the.net->replies = {{.body = {pod_text("9")}}};
    REQUIRE(the.run.run(remove_finalizer(c, *added, "a/b")));
    CHECK(the.net->seen[1].body == R"({"metadata":{"finalizers":[],"resourceVersion":"8"}})");

    the.net->replies = {refuses(409, "Conflict"), {.body = {pod_text("12", held, "u-2")}}};
    const auto gone = the.run.run(remove_finalizer(c, *added, "a/b"));
    REQUIRE(gone);
    CHECK_FALSE(*gone);
    the.net->replies = {refuses(404, "NotFound")};
    CHECK(the.run.run(ensure_finalizer(c, a_pod(), "a/b")).error() == cond::not_found);

    const auto dying = a_pod("7", R"(,"deletionTimestamp":"2026-01-31T12:00:00Z")");
    const auto late = the.run.run(ensure_finalizer(c, dying, "a/b"));
    CHECK(late.error() == cond::invalid);
    CHECK(late.error().message() == "cannot add finalizer \"a/b\": the object is being deleted");
}

TEST_CASE("writing: a removal is watched to its end", "[client][writing]")
{
    world the;
    const std::string held = R"(,"deletionTimestamp":"2026-01-31T12:00:00Z","finalizers":["a/b"])";
    the.net->replies = {{.body = {pod_text("8", held)}},
                        {.body = {pod_text("8", held)}},
                        event("MODIFIED", pod_text("9", held)),
                        {.body = {pod_text("9", held)}},
                        event("DELETED", pod_text("10"))};
    const auto c = the.make();
    const auto begun = the.run.clock().now();
    REQUIRE(the.run.run(remove_and_wait(c, pods, shop)));
    CHECK(the.run.clock().now() - begun >= std::chrono::seconds(1)); // a watch that ended is not opened again at once
    REQUIRE(the.net->seen.size() == 5);
    CHECK(the.net->seen[0].method == "DELETE");
    CHECK(the.net->seen[2].target.find("fieldSelector=metadata.name%3Dshop") != std::string::npos);
    CHECK(the.net->seen[2].target.find("resourceVersion=8") != std::string::npos);
}

TEST_CASE("writing: the object that is watched is selected by its escaped name", "[client][writing]")
{
    world the;
    const object_key odd("web", R"(a,metadata.name=b\)");
    the.net->replies = {{.body = {pod_text("8")}}, {.body = {pod_text("8")}}, event("DELETED", pod_text("10"))};
    CHECK(the.run.run(remove_and_wait(the.make(), pods, odd)));
    CHECK(the.net->seen.at(2).target.find(R"(fieldSelector=metadata.name%3Da%5C%2Cmetadata.name%5C%3Db%5C%5C)") !=
          std::string::npos);
}

TEST_CASE("writing: a removal is seen although the connection of its watch is dead", "[client][writing]")
{
    world the;
    the.net->replies = {
        {.body = {pod_text("8")}}, {.body = {pod_text("8")}}, {.hangs_in_body = true}, refuses(404, "NotFound")};
    const auto c = the.make();
    const auto begun = the.run.clock().now();
    REQUIRE(the.run.run(remove_and_wait(c, pods, shop)));
    CHECK(the.run.clock().now() - begun < std::chrono::seconds(30));
    CHECK(the.net->seen[2].target.find("timeoutSeconds=15") != std::string::npos);
}

TEST_CASE("writing: what is not there is gone, and so is what has a successor", "[client][writing]")
{
    world the;
    the.net->replies = {refuses(404, "NotFound")};
    const auto c = the.make();
    REQUIRE(the.run.run(remove_and_wait(c, pods, shop)));
    the.net->replies = {{.body = {pod_text("8")}}, refuses(404, "NotFound")};
    REQUIRE(the.run.run(remove_and_wait(c, pods, shop)));
    the.net->replies = {{.body = {pod_text("8")}},
                        {.body = {pod_text("8")}},
                        refuses(410, "Expired"),
                        {.body = {pod_text("20", {}, "u-2")}}};
    REQUIRE(the.run.run(remove_and_wait(c, pods, shop)));
    the.net->replies = {refuses(403, "Forbidden")};
    CHECK(the.run.run(remove_and_wait(c, pods, shop)).error() == cond::forbidden);
    the.net->replies = {{.body = {pod_text("8")}}, {.body = {pod_text("8")}}, refuses(403, "Forbidden")};
    CHECK(the.run.run(remove_and_wait(c, pods, shop)).error() == cond::forbidden);
}

TEST_CASE("writing: a removal that takes too long names what holds the object", "[client][writing]")
{
    world the;
    const std::string held = R"(,"finalizers":["a/b","c/d"])";
    the.net->replies = {
        {.body = {pod_text("8", held)}}, {.body = {pod_text("8", held)}}, {.body = {}, .hangs_in_body = true}};
    const auto c = the.make();
    const auto late = the.run.run(remove_and_wait(c, pods, shop, delete_options(), std::chrono::seconds(30)));
    CHECK(late.error() == cond::timed_out);
    CHECK(late.error().message() == "held by its finalizers: a/b, c/d");
}

TEST_CASE("writing: the end of an object that was deleted before is awaited by its uid", "[client][writing]")
{
    world the;
    const auto c = the.make();
    // Its successor was there before the first look.
    the.net->replies = {{.body = {pod_text("20", {}, "u-2")}}};
    REQUIRE(the.run.run(wait_until_gone(c, pods, shop, "u-1")));
    REQUIRE(the.net->seen.size() == 1);
    CHECK(the.net->seen[0].method == "GET");
    the.net->replies = {{.body = {pod_text("8")}}, event("DELETED", pod_text("9"))};
    REQUIRE(the.run.run(wait_until_gone(c, pods, shop, "u-1")));
    the.net->replies = {{.body = {pod_text("8")}}, {.body = {}, .hangs_in_body = true}};
    CHECK(the.run.run(wait_until_gone(c, pods, shop, "", std::chrono::seconds(30))).error() == cond::timed_out);
    // A deletion is answered with the object, or with a Status about it.
    CHECK(removed_uid(a_pod()) == "u-1");
    CHECK(removed_uid(object::parse(R"({"kind":"Status","status":"Success","details":{"uid":"u-3"}})").value()) ==
          "u-3");
    CHECK(removed_uid(object::parse(R"({"kind":"Status","status":"Success"})").value()).empty());
}

TEST_CASE("writing: the resource of an object is found by its kind", "[client][writing]")
{
    world the;
    const auto c = the.make();
    CHECK(the.run.run(c.resource_of("v1", "Pod")).value() == pods);
    CHECK(the.net->seen.empty());
    const auto groups =
        std::string(R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[)") +
        R"({"metadata":{"name":"example.com"},"versions":[{"version":"v1","resources":[)" +
        R"({"resource":"shops","responseKind":{"group":"example.com","version":"v1","kind":"Shop"},)" +
        R"("scope":"Namespaced","singularResource":"shop","verbs":["get"]}]}]}]})";
    const std::string none = R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[]})";
    const auto custom =
        object::parse(R"({"kind":"Shop","apiVersion":"example.com/v1","metadata":{"name":"a"}})").value();
    the.net->replies = {{.body = {none}}, {.body = {groups}}};
    for (int i = 0; i < 2; ++i) { // the second time from memory
        const auto found = the.run.run(c.resource_of("example.com/v1", "Shop"));
        REQUIRE(found);
        CHECK(found->plural == "shops");
    }
    the.net->replies = {{.body = {none}}, {.body = {groups}}};
    CHECK(the.run.run(c.resource_of("example.com/v1", "Cart")).error() == cond::not_found);
}

namespace {

/// A discovery that has the kind Shop under this plural; in all, two responses.
std::deque<reply> has_shops(const std::string& plural, const std::string& scope = "Namespaced")
{
    const std::string list = R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[)";
    return {{.body = {list + "]}"}},
            {.body = {list + R"({"metadata":{"name":"example.com"},"versions":[{"version":"v1","resources":[)" +
                      R"({"resource":")" + plural +
                      R"(","responseKind":{"group":"example.com","version":"v1","kind":"Shop"},"scope":")" + scope +
                      R"(","singularResource":"shop","verbs":["get"]}]}]}]})"}}};
}

} // namespace

TEST_CASE("writing: a definition that was made again is found", "[client][writing]")
{
    world the;
    const auto c = the.make();
    const auto find = [&] { return the.run.run(c.resource_of("example.com/v1", "Shop")); };
    const auto miss = [&](const std::string& body) {
        const auto type = find().value();
        the.net->replies = {{.status = 404, .body = {body}}};
        CHECK(the.run.run(c.get(type, type.namespaced ? "web" : "", "a")).error() == cond::not_found);
    };
    the.net->replies = has_shops("shops");
    const auto before = find().value();
    the.run.advance(std::chrono::hours(1));

    // An object that is missing says nothing about its resource.
    miss(refusal(404, "NotFound", R"(,"details":{"name":"a","kind":"shops"})"));
    CHECK(find().value() == before);
    // Nor does another resource.
    the.net->replies = {{.status = 404, .body = {"404 page not found"}}};
    CHECK(the.run.run(c.get(pods, "web", "a")).error() == cond::not_found);
    CHECK(find().value() == before);

    miss("404 page not found");
    the.net->replies = has_shops("stores", "Cluster");
    const auto after = find().value();
    CHECK(after.plural == "stores");
    CHECK_FALSE(after.namespaced);

    // Too early to ask again, then gone for good.
    miss("404 page not found");
    CHECK(find().value() == after);
    CHECK(the.net->replies.empty());
    the.run.advance(std::chrono::seconds(10));
    the.net->replies = has_shops("others");
    CHECK(find().value().plural == "others");
    miss("404 page not found");
    the.run.advance(std::chrono::seconds(10));
    the.net->replies = has_shops("shops");
    the.net->replies.pop_back();
    the.net->replies.push_back(the.net->replies.front());
    CHECK(find().error() == cond::not_found);
}

TEST_CASE("kept kinds: one of many callers asks again", "[client][writing]")
{
    const resource_type shops{"example.com", "v1", "shops", "Shop", true};
    const time_point begin{};
    detail::kept_kinds_core core;
    CHECK_FALSE(core.known("Shop", begin));
    core.keep("Shop", shops, begin);
    const auto later = begin + detail::kept_kinds_core::reread_interval;
    for (const auto* elsewhere :
         {"/apis/example.com/v1/namespaces/web/shopsx/a", "/apis/example.com/v2/namespaces/web/shops/a",
          "/apis/example.com/v1/others/shops", "/api/v1/namespaces/web/shops", "/apis/example.com/v1/namespaces/shops"})
        core.on_missing(elsewhere);
    CHECK(core.known("Shop", later) == shops);
    for (const auto* place : {"/apis/example.com/v1/namespaces/web/shops/a/status?fieldManager=m",
                              "/apis/example.com/v1/shops?limit=500", "/apis/example.com/v1/shops/a"}) {
        core.keep("Shop", shops, begin);
        core.on_missing(place);
        CHECK(core.known("Shop", later - std::chrono::nanoseconds(1)) == shops);
        CHECK_FALSE(core.known("Shop", later)); // this one asks
        CHECK(core.known("Shop", later) == shops);
    }
    core.forget("Shop");
    CHECK_FALSE(core.known("Shop", later));
}

TEST_CASE("writing: every step may be cancelled or be the last", "[client][writing]")
{
    const auto make = [](testing::runner& run) {
        auto net = std::make_shared<scripted_transport>();
        net->replies = {refuses(404, "NotFound"),  refuses(409, "AlreadyExists"),      {.body = {pod_text("7")}},
                        {.body = {pod_text("8")}}, {.body = {pod_text("9")}},          {.body = {pod_text("9")}},
                        {.body = {pod_text("9")}}, {.body = {}, .hangs_in_body = true}};
        net->time = run.shared_clock();
        client_options o;
        o.time = run.shared_clock();
        auto body = [](client c) -> asio::awaitable<result<>> {
            const auto edit = [](json::object& edited) { set_label(edited, "app", "shop"); };
            KUBECORO_TRY(const auto made, co_await create_or_update(c, pods, shop, edit));
            KUBECORO_TRY(co_await patch_status(c, made.now, {{"ready", 3}}));
            co_return co_await remove_and_wait(c, pods, shop);
        };
        return testing::scenario{body(client(run.executor(), net, o))};
    };
    const auto stopped = testing::stop_after_every_step(make);
    REQUIRE(stopped);
    CHECK(*stopped > 10);
    const auto cancelled = testing::cancel_after_every_step(make, [](const result<>& r) {
        if (!r) CHECK((r.error() == cond::cancelled || r.error() == cond::timed_out));
    });
    REQUIRE(cancelled);
}
