// Conformance cases: create, read, update, patch, delete.
#include "cluster_under_test.hpp"

#include <kubecoro/api/untyped.hpp>

#include <kubecoro/test/catch.hpp>

using namespace kubecoro;
using namespace kubecoro::conformance;

namespace {

resource_client<object> config_maps(cluster_under_test& c) { return c.in_ns(untyped::config_map::resource()); }

write_options strict()
{
    write_options out;
    out.validation = field_validation::strict;
    return out;
}

} // namespace

TEST_CASE("an object is created, read, updated and deleted", "[conformance]")
{
    cluster_under_test c;
    auto maps = config_maps(c);
    const auto created = c.run(maps.create(config_map("a"))).value();
    CHECK(created.name() == "a");
    CHECK(created.ns() == c.ns());
    CHECK(created.uid().size() == 36);
    CHECK_FALSE(created.resource_version().empty());
    CHECK(created.metadata()["creationTimestamp"].as_string().size() == 20);

    const auto read = c.run(maps.get("a")).value();
    CHECK(read.resource_version() == created.resource_version());
    CHECK(read["data"]["k"].as_string() == "1");

    const auto updated = c.run(maps.update("a", config_map("a", "2"))).value();
    CHECK(updated.uid() == created.uid());
    CHECK(updated.resource_version() != created.resource_version());
    CHECK(updated.metadata()["creationTimestamp"] == created.metadata()["creationTimestamp"]);

    const auto removed = c.run(maps.remove("a")).value();
    CHECK(removed.kind() == "Status");
    CHECK(c.run(maps.get("a")).error() == cond::not_found);
    CHECK(c.run(maps.remove("a")).error() == cond::not_found);
}

TEST_CASE("a name can be used once", "[conformance]")
{
    cluster_under_test c;
    auto maps = config_maps(c);
    REQUIRE(c.run(maps.create(config_map("a"))));
    const auto again = c.run(maps.create(config_map("a")));
    REQUIRE_FALSE(again);
    CHECK(again.error() == cond::already_exists);
    CHECK(again.error().status()->message == "configmaps \"a\" already exists");
    CHECK(again.error().status()->name == "a");
}

TEST_CASE("an update based on an old version is a conflict", "[conformance]")
{
    cluster_under_test c;
    auto maps = config_maps(c);
    const auto first = c.run(maps.create(config_map("a"))).value();
    REQUIRE(c.run(maps.update("a", config_map("a", "2"))));
    const std::string stale =
        config_map("a", "3", R"(,"resourceVersion":")" + std::string(first.resource_version()) + '"');
    const auto refused = c.run(maps.update("a", stale));
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == cond::conflict);
    CHECK(refused.error().status()->kind == "configmaps");
    CHECK(c.run(maps.patch("a", patch_kind::merge, stale)).error() == cond::conflict);
    const auto stored = c.run(maps.get("a")).value();
    CHECK(stored["data"]["k"].as_string() == "2");
}

TEST_CASE("an update that changes nothing keeps the version", "[conformance]")
{
    cluster_under_test c;
    auto maps = config_maps(c);
    const auto created = c.run(maps.create(config_map("a"))).value();
    const auto updated = c.run(maps.update("a", config_map("a"))).value();
    CHECK(updated.resource_version() == created.resource_version());
    const auto patched = c.run(maps.patch("a", patch_kind::merge, R"({"data":{"k":"1"}})")).value();
    CHECK(patched.resource_version() == created.resource_version());
}

TEST_CASE("generateName generates a name", "[conformance]")
{
    cluster_under_test c;
    auto maps = config_maps(c);
    const auto created =
        c.run(maps.create(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"gen-"}})")).value();
    CHECK(created.name().starts_with("gen-"));
    CHECK(created.name().size() == 9);
    CHECK(created.metadata()["generateName"].as_string() == "gen-");
}

TEST_CASE("invalid objects are refused with their causes", "[conformance]")
{
    cluster_under_test c;
    auto maps = config_maps(c);
    const auto bad_name = c.run(maps.create(config_map("Upper_Case")));
    REQUIRE_FALSE(bad_name);
    CHECK(bad_name.error() == cond::invalid);
    REQUIRE(bad_name.error().status()->causes.size() == 1);
    CHECK(bad_name.error().status()->causes[0].field == "metadata.name");

    CHECK(c.run(maps.create("{")).error() == cond::invalid);
    CHECK(c.run(maps.create(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}})")).error() == cond::invalid);
    CHECK(
        c.run(maps.create(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"elsewhere"}})"))
            .error() == cond::invalid);
    CHECK(c.run(c.in_ns(untyped::pod::resource())
                    .create(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{}})"))
              .error() == cond::invalid);
}

TEST_CASE("strict validation refuses unknown fields", "[conformance]")
{
    cluster_under_test c;
    auto maps = config_maps(c);
    const std::string body = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"bogus":1})";
    const auto refused = c.run(maps.create(body, strict()));
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == cond::invalid);
    CHECK(refused.error().status()->message.find("unknown field \"bogus\"") != std::string::npos);
    CHECK(c.run(maps.create(config_map("a"), strict())));
}

TEST_CASE("patches: merge, json, strategic", "[conformance]")
{
    cluster_under_test c;
    auto maps = config_maps(c);
    REQUIRE(c.run(maps.create(config_map("a"))));
    auto patched = c.run(maps.patch("a", patch_kind::merge, R"({"data":{"k":null,"n":"2"}})")).value();
    CHECK_FALSE(patched["data"]["k"]);
    CHECK(patched["data"]["n"].as_string() == "2");

    patched = c.run(maps.patch("a", patch_kind::json,
                               R"([{"op":"test","path":"/data/n","value":"2"},)"
                               R"({"op":"add","path":"/data/m","value":"3"}])"))
                  .value();
    CHECK(patched["data"]["m"].as_string() == "3");
    CHECK(c.run(maps.patch("a", patch_kind::json, R"([{"op":"test","path":"/data/n","value":"x"}])")).error() ==
          cond::invalid);
    CHECK(c.run(maps.patch("missing", patch_kind::merge, "{}")).error() == cond::not_found);

    auto deployments = c.in_ns(untyped::deployment::resource());
    REQUIRE(c.run(deployments.create(deployment("d", 1))));
    const auto changed =
        c.run(deployments.patch("d", patch_kind::strategic_merge,
                                R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"j"},)"
                                R"({"name":"e","image":"k"}]}}}})"))
            .value();
    const auto containers = changed["spec"]["template"]["spec"]["containers"];
    CHECK(containers.size() == 2);
}

TEST_CASE("a dry run stores nothing", "[conformance]")
{
    cluster_under_test c;
    auto maps = config_maps(c);
    write_options dry;
    dry.dry_run = true;
    const auto tried = c.run(maps.create(config_map("a"), dry)).value();
    CHECK(tried.name() == "a");
    CHECK(tried.resource_version().empty());
    CHECK(c.run(maps.get("a")).error() == cond::not_found);

    REQUIRE(c.run(maps.create(config_map("b"))));
    REQUIRE(c.run(maps.update("b", config_map("b", "2"), dry)));
    const auto stored = c.run(maps.get("b")).value();
    CHECK(stored["data"]["k"].as_string() == "1");
    delete_options no;
    no.dry_run = true;
    REQUIRE(c.run(maps.remove("b", no)));
    CHECK(c.run(maps.get("b")));
}

TEST_CASE("finalizers keep a deleted object until they are removed", "[conformance]")
{
    cluster_under_test c;
    auto maps = config_maps(c);
    REQUIRE(c.run(maps.create(config_map("a", "1", R"(,"finalizers":["example.com/hold"])"))));
    const auto held = c.run(maps.remove("a")).value();
    CHECK(held.name() == "a");
    CHECK(c.run(maps.get("a")).value().being_deleted());
    CHECK(c.run(maps.create(config_map("a"))).error() == cond::already_exists);
    CHECK(c.run(maps.patch("a", patch_kind::merge, R"({"metadata":{"finalizers":["example.com/hold","b.com/c"]}})"))
              .error() == cond::invalid);
    REQUIRE(c.run(maps.patch("a", patch_kind::merge, R"({"metadata":{"finalizers":null}})")));
    CHECK(c.run(maps.get("a")).error() == cond::not_found);
}

TEST_CASE("preconditions guard a delete", "[conformance]")
{
    cluster_under_test c;
    auto maps = config_maps(c);
    const auto created = c.run(maps.create(config_map("a"))).value();
    delete_options other;
    other.uid = "00000000-0000-0000-0000-000000000000";
    CHECK(c.run(maps.remove("a", other)).error() == cond::conflict);
    delete_options old;
    old.resource_version = "1";
    CHECK(c.run(maps.remove("a", old)).error() == cond::conflict);
    delete_options right;
    right.uid = created.uid();
    CHECK(c.run(maps.remove("a", right)));
}

TEST_CASE("generation counts changes of the spec, status is written separately", "[conformance]")
{
    cluster_under_test c;
    auto deployments = c.in_ns(untyped::deployment::resource());
    const auto created = c.run(deployments.create(deployment("d", 1))).value();
    CHECK(created.generation() == 1);
    CHECK(
        c.run(deployments.patch("d", patch_kind::merge, R"({"metadata":{"labels":{"a":"b"}}})")).value().generation() ==
        1);
    CHECK(c.run(deployments.patch("d", patch_kind::merge, R"({"spec":{"replicas":2}})")).value().generation() == 2);

    const auto status = c.run(deployments.patch("d", patch_kind::merge,
                                                R"({"status":{"replicas":2},"spec":{"replicas":9}})", {}, "status"))
                            .value();
    CHECK(status.generation() == 2);
    CHECK(status["status"]["replicas"].as_int64() == 2);
    CHECK(status["spec"]["replicas"].as_int64() == 2);
    const auto main = c.run(deployments.patch("d", patch_kind::merge, R"({"status":{"replicas":7}})")).value();
    CHECK(main["status"]["replicas"].as_int64() == 2);

    const auto scale = c.run(deployments.get("d", "scale")).value();
    CHECK(scale.kind() == "Scale");
    CHECK(scale["spec"]["replicas"].as_int64() == 2);
    REQUIRE(c.run(deployments.patch("d", patch_kind::merge, R"({"spec":{"replicas":3}})", {}, "scale")));
    const auto scaled = c.run(deployments.get("d")).value();
    CHECK(scaled["spec"]["replicas"].as_int64() == 3);
}

TEST_CASE("a pod without a node is removed at once, and its delete returns the pod", "[conformance]")
{
    cluster_under_test c;
    auto pods = c.in_ns(untyped::pod::resource());
    const auto created = c.run(pods.create(pod("p"))).value();
    CHECK(created["status"]["phase"].as_string() == "Pending");
    CHECK(created["spec"]["restartPolicy"].as_string() == "Always");
    const auto removed = c.run(pods.remove("p")).value();
    CHECK(removed.kind() == "Pod");
    CHECK(c.run(pods.get("p")).error() == cond::not_found);
}

TEST_CASE("unknown names, kinds and namespaces are not found", "[conformance]")
{
    cluster_under_test c;
    resource_type nonsense = untyped::config_map::resource();
    nonsense.plural = "nonsense";
    CHECK(c.run(c.api().list(nonsense, c.ns())).error() == cond::not_found);
    nonsense.group = "nobody.example";
    CHECK(c.run(c.api().list(nonsense, c.ns())).error() == cond::not_found);
    const auto missing = c.run(c.api().create(untyped::config_map::resource(), c.unique("missing"), config_map("a")));
    CHECK(missing.error() == cond::not_found);
    CHECK(c.run(c.api().list(untyped::config_map::resource(), c.unique("missing"))).value().items.empty());
}
