// Conformance cases: how requests are refused, by code; conflicts and errors of each kind of patch and subresource.
#include "cluster_under_test.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/client/subresources.hpp>

#include <kubecoro/test/catch.hpp>

#include <boost/json.hpp>

using namespace kubecoro;
using namespace kubecoro::conformance;

namespace json = boost::json;

namespace {

resource_client<object> config_maps(cluster_under_test& c) { return c.in_ns(untyped::config_map::resource()); }

request to_maps(const cluster_under_test& c, std::string method, const std::string& rest = {})
{
    request r;
    r.method = std::move(method);
    r.target = "/api/v1/namespaces/" + c.ns() + "/configmaps" + rest;
    return r;
}

/// Checks that a response is a Status with this code and reason.
void check_refusal(cluster_under_test& c, request r, int code, const std::string& reason)
{
    INFO(r.method << " " << r.target);
    const auto got = c.run(c.api().raw(std::move(r)));
    REQUIRE(got);
    INFO(got->body);
    CHECK(got->head.status == code);
    const auto status = json::parse(got->body).as_object();
    CHECK(status.at("kind") == "Status");
    CHECK(status.at("status") == "Failure");
    CHECK(status.at("code") == code);
    CHECK(status.at("reason").as_string() == json::string_view(reason));
}

template<class T>
int code_of(const result<T>& r)
{
    return r ? 0 : r.error().status() ? r.error().status()->code : -1;
}

std::string big_map(const std::string& name, std::size_t bytes) { return config_map(name, std::string(bytes, 'x')); }

/// A patch of that kind that sets a value at a path of two names.
std::string setting(patch_kind kind, const std::string& outer, const std::string& inner, const std::string& value)
{
    if (kind == patch_kind::json)
        return json::serialize(
            json::array{json::object{{"op", "add"}, {"path", "/" + outer + "/" + inner}, {"value", value}}});
    return json::serialize(json::object{{outer, json::object{{inner, value}}}});
}

constexpr patch_kind kinds[] = {patch_kind::merge, patch_kind::json, patch_kind::strategic_merge};

} // namespace

TEST_CASE("406: a form that the server does not have", "[conformance][refusals]")
{
    cluster_under_test c;
    auto r = to_maps(c, "GET");
    r.accept = "application/xml";
    check_refusal(c, r, 406, "NotAcceptable");
    const auto listed = c.run(config_maps(c).list());
    CHECK(listed);
}

TEST_CASE("415: a body of an unknown type, and a patch of an unknown kind", "[conformance][refusals]")
{
    cluster_under_test c;
    auto r = to_maps(c, "POST");
    r.content_type = "text/plain";
    r.body = config_map("a");
    check_refusal(c, r, 415, "UnsupportedMediaType");
    CHECK(c.run(config_maps(c).get("a")).error() == cond::not_found);
    REQUIRE(c.run(config_maps(c).create(config_map("a"))));
    r = to_maps(c, "PATCH", "/a");
    r.content_type = "application/unknown-patch+json";
    r.body = "{}";
    check_refusal(c, r, 415, "UnsupportedMediaType");
}

TEST_CASE("405: a method that the resource does not have", "[conformance][refusals]")
{
    cluster_under_test c;
    auto r = to_maps(c, "POST", "/a");
    r.content_type = "application/json";
    r.body = config_map("a");
    check_refusal(c, r, 405, "MethodNotAllowed");
}

TEST_CASE("413: a body that is too long, which the server need not read to its end", "[conformance][refusals]")
{
    cluster_under_test c;
    const auto maps = config_maps(c);
    for (int i = 0; i < 3; ++i) {
        const auto refused = c.run(maps.create(big_map("big", 5 << 20)));
        REQUIRE_FALSE(refused);
        INFO(refused.error().describe());
        CHECK(code_of(refused) == 413);
        CHECK(refused.error().method() == "POST");
        // The failure does not repeat the body.
        CHECK(refused.error().describe().size() < 1000);
    }
    CHECK(c.run(maps.get("big")).error() == cond::not_found);
}

TEST_CASE("422: values that are too long or not allowed, with their causes", "[conformance][refusals]")
{
    cluster_under_test c;
    const auto maps = config_maps(c);
    const auto refused = c.run(maps.create(big_map("big", (1 << 20) + 1)));
    CHECK(code_of(refused) == 422);
    CHECK(refused.error() == cond::invalid);
    const auto label = c.run(maps.create(config_map("a", "1", R"(,"labels":{"a":"not a label"})")));
    CHECK(code_of(label) == 422);
    REQUIRE(label.has_error());
    REQUIRE(label.error().status()->causes.size() == 1);
    CHECK(label.error().status()->causes[0].field == "metadata.labels");
}

TEST_CASE("422: containers of the same name", "[conformance][refusals]")
{
    cluster_under_test c;
    const auto refused = c.run(c.in_ns(untyped::pod::resource())
                                   .create(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{)"
                                           R"("containers":[{"name":"c","image":"i"},{"name":"c","image":"j"}],)"
                                           R"("initContainers":[{"name":"c","image":"i"}]}})"));
    CHECK(code_of(refused) == 422);
    REQUIRE(refused.has_error());
    const auto& causes = refused.error().status()->causes;
    REQUIRE(causes.size() == 2);
    CHECK(causes[0].reason == "FieldValueDuplicate");
    CHECK(causes[0].field == "spec.containers[1].name");
    CHECK(causes[0].message == "Duplicate value: \"c\"");
    CHECK(causes[1].field == "spec.initContainers[0].name");
}

TEST_CASE("patches of each kind: conflicts, missing objects, invalid results, damaged bodies",
          "[conformance][refusals]")
{
    cluster_under_test c;
    const auto maps = config_maps(c);
    const auto first = c.run(maps.create(config_map("a"))).value();
    REQUIRE(c.run(maps.update("a", config_map("a", "2"))));
    const std::string old(first.resource_version());
    for (const auto kind : kinds) {
        INFO("kind " << static_cast<int>(kind));
        CHECK(c.run(maps.patch("a", kind, setting(kind, "metadata", "resourceVersion", old))).error() ==
              cond::conflict);
        CHECK(c.run(maps.patch("b", kind, setting(kind, "data", "x", "1"))).error() == cond::not_found);
        const auto invalid = c.run(maps.patch("a", kind, setting(kind, "data", "not a key", "1")));
        CHECK(code_of(invalid) == 422);
        REQUIRE(invalid.has_error());
        REQUIRE(invalid.error().status()->causes.size() == 1);
        CHECK(invalid.error().status()->causes[0].field == "data[not a key]");
        CHECK(code_of(c.run(maps.patch("a", kind, "{"))) == 400);
        CHECK(code_of(c.run(maps.patch("a", kind, setting(kind, "metadata", "name", "b")))) == 400);
        const auto done = c.run(maps.patch("a", kind, setting(kind, "data", "x", "1")));
        REQUIRE(done);
        CHECK((*done)["data"]["x"].as_string() == "1");
    }
    CHECK(code_of(c.run(maps.patch("a", patch_kind::json, R"([{"op":"remove","path":"/data/none"}])"))) == 422);
    CHECK(code_of(c.run(maps.patch("a", patch_kind::json, R"([{"op":"bogus","path":"/data"}])"))) == 422);
}

TEST_CASE("subresources: conflicts, and kinds that have none", "[conformance][refusals]")
{
    cluster_under_test c;
    const auto deployments = c.in_ns(untyped::deployment::resource());
    const auto first = c.run(deployments.create(deployment("d", 1))).value();
    REQUIRE(c.run(deployments.patch("d", patch_kind::merge, R"({"spec":{"replicas":2}})")));
    json::value old = first.to_json();
    old.at("status").as_object()["replicas"] = 1;
    CHECK(c.run(deployments.update("d", old, {}, "status")).error() == cond::conflict);
    CHECK(c.run(deployments.get("d", "status")));
    scale_options stale;
    stale.resource_version = std::string(first.resource_version());
    CHECK(c.run(set_scale(c.api(), deployments.type(), c.ns(), "d", 3, stale)).error() == cond::conflict);

    const auto maps = config_maps(c);
    REQUIRE(c.run(maps.create(config_map("a"))));
    CHECK(c.run(maps.get("a", "status")).error() == cond::not_found);
    CHECK(c.run(get_scale(c.api(), maps.type(), c.ns(), "a")).error() == cond::not_found);
    CHECK(c.run(maps.patch("a", patch_kind::merge, "{}", {}, "status")).error() == cond::not_found);
}
