// Conformance cases: subresources with operations of their own, tables, warnings, collections, discovery, apply.
#include "cluster_under_test.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/client/apply.hpp>
#include <kubecoro/client/discovery.hpp>
#include <kubecoro/client/log_stream.hpp>
#include <kubecoro/client/subresources.hpp>
#include <kubecoro/client/table.hpp>

#include <kubecoro/test/catch.hpp>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>

using namespace kubecoro;
using namespace kubecoro::conformance;

namespace {

const auto maps = untyped::config_map::resource();
const auto pods = untyped::pod::resource();
const auto deployments = untyped::deployment::resource();
const auto accounts = untyped::service_account::resource();

} // namespace

TEST_CASE("scale: replicas are read and changed, with conditions", "[conformance][requests]")
{
    cluster_under_test c;
    REQUIRE(c.run(c.in_ns(deployments).create(deployment("d", 2))));
    const auto now = c.run(get_scale(c.api(), deployments, c.ns(), "d")).value();
    CHECK(now.wanted == 2);
    CHECK_FALSE(now.resource_version.empty());
    CHECK_FALSE(now.uid.empty());
    const auto then = c.run(set_scale(c.api(), deployments, c.ns(), "d", 5)).value();
    CHECK(then.wanted == 5);
    CHECK(then.uid == now.uid);
    const auto scaled = c.run(c.in_ns(deployments).get("d")).value();
    CHECK(scaled.path("spec.replicas").as_int64() == 5);
    scale_options from_two{.only_from = 2};
    CHECK(c.run(set_scale(c.api(), deployments, c.ns(), "d", 7, from_two)).error() == cond::conflict);
    scale_options stale{.resource_version = now.resource_version};
    CHECK(c.run(set_scale(c.api(), deployments, c.ns(), "d", 7, stale)).error() == cond::conflict);
    scale_options tried{.only_from = 5, .write = {.dry_run = true}};
    CHECK(c.run(set_scale(c.api(), deployments, c.ns(), "d", 7, tried)).value().wanted == 7);
    CHECK(c.run(get_scale(c.api(), deployments, c.ns(), "d")).value().wanted == 5);
    CHECK(c.run(set_scale(c.api(), deployments, c.ns(), "d", -1)).error() == cond::invalid);
    CHECK(c.run(get_scale(c.api(), deployments, c.ns(), "missing")).error() == cond::not_found);
    REQUIRE(c.run(c.in_ns(maps).create(config_map("m"))));
    CHECK(c.run(get_scale(c.api(), maps, c.ns(), "m")).error() == cond::not_found);
}

TEST_CASE("eviction: a pod without a budget goes, with its preconditions", "[conformance][requests]")
{
    cluster_under_test c;
    const auto made = c.run(c.in_ns(pods).create(pod("p"))).value();
    delete_options tried{.dry_run = true};
    REQUIRE(c.run(evict(c.api(), c.ns(), "p", tried)));
    CHECK(c.run(c.in_ns(pods).get("p")));
    delete_options other{.uid = "00000000-0000-0000-0000-000000000000"};
    CHECK(c.run(evict(c.api(), c.ns(), "p", other)).error() == cond::conflict);
    delete_options right{.grace_period = std::chrono::seconds{0}, .uid = std::string(made.uid())};
    REQUIRE(c.run(evict(c.api(), c.ns(), "p", right)));
    CHECK(c.run(c.in_ns(pods).get("p")).error() == cond::not_found);
    CHECK(c.run(evict(c.api(), c.ns(), "p")).error() == cond::not_found);
}

TEST_CASE("eviction: a disruption budget refuses it until it allows it", "[conformance][requests]")
{
    const resource_type budgets{"policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", true};
    cluster_under_test c;
    REQUIRE(c.run(c.in_ns(pods).create(pod("p", R"(,"labels":{"app":"x"})"))));
    const std::string running = R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})";
    REQUIRE(c.run(c.in_ns(pods).patch("p", patch_kind::merge, running, {}, "status")));
    const auto make_budget = [&](const std::string& name) {
        return c.run(
            c.in_ns(budgets).create(R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":")" +
                                    name + R"("},"spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"x"}}}})"));
    };
    const auto set_status = [&](const std::string& status) {
        return c.run(c.in_ns(budgets).patch("b", patch_kind::merge, R"({"status":{)" + status + "}}", {}, "status"));
    };
    REQUIRE(make_budget("b"));
    const auto unseen = c.run(evict(c.api(), c.ns(), "p"));
    REQUIRE_FALSE(unseen);
    CHECK(is_disruption_budget(unseen.error()));
    CHECK(unseen.error().retry_after() == std::chrono::seconds{10});
    REQUIRE(set_status(R"("observedGeneration":1,"disruptionsAllowed":0,"desiredHealthy":2)"));
    const auto refused = c.run(evict(c.api(), c.ns(), "p"));
    REQUIRE_FALSE(refused);
    CHECK(is_disruption_budget(refused.error()));
    CHECK_FALSE(refused.error().retry_after());
    CHECK(refused.error().status()->causes.at(0).message ==
          "The disruption budget b needs 2 healthy pods and has 0 currently");
    REQUIRE(make_budget("c"));
    CHECK(c.run(evict(c.api(), c.ns(), "p")).error() == cond::internal);
    REQUIRE(c.run(c.in_ns(budgets).remove("c")));
    REQUIRE(set_status(R"("disruptionsAllowed":1)"));
    REQUIRE(c.run(evict(c.api(), c.ns(), "p")));
    CHECK(c.run(c.in_ns(pods).get("p")).error() == cond::not_found);
    const auto counted = c.run(c.in_ns(budgets).get("b")).value();
    CHECK(counted.path("status.disruptionsAllowed").as_int64() == 0);
    CHECK(counted.path("status.disruptedPods.p"));
}

TEST_CASE("bindings: a pod gets a node once", "[conformance][requests]")
{
    cluster_under_test c;
    REQUIRE(c.run(c.in_ns(pods).create(pod("p"))));
    REQUIRE(c.run(bind_pod(c.api(), c.ns(), "p", "n1")));
    const auto bound = c.run(c.in_ns(pods).get("p")).value();
    CHECK(bound.path("spec.nodeName").as_string() == "n1");
    CHECK(c.run(bind_pod(c.api(), c.ns(), "p", "n2")).error() == cond::conflict);
    CHECK(c.run(bind_pod(c.api(), c.ns(), "missing", "n2")).error() == cond::not_found);
    delete_options now{.grace_period = std::chrono::seconds{0}};
    CHECK(c.run(c.in_ns(pods).remove("p", now)));
}

TEST_CASE("ephemeral containers: one is added once, and only to a pod", "[conformance][requests]")
{
    cluster_under_test c;
    REQUIRE(c.run(c.in_ns(pods).create(pod("p"))));
    const boost::json::value debug = boost::json::object{{"name", "debug"}, {"image", "busybox"}};
    const auto added = c.run(add_ephemeral_container(c.api(), c.ns(), "p", debug)).value();
    CHECK(added.path("spec.ephemeralContainers").size() == 1);
    CHECK(added.path("spec.containers").size() == 1);
    const auto again = c.run(add_ephemeral_container(c.api(), c.ns(), "p", debug)).value();
    CHECK(again.resource_version() == added.resource_version());
    // One that is there cannot be changed.
    const boost::json::value other = boost::json::object{{"name", "debug"}, {"image", "other"}};
    CHECK(c.run(add_ephemeral_container(c.api(), c.ns(), "p", other)).error() == cond::invalid);
    CHECK(c.run(add_ephemeral_container(c.api(), c.ns(), "missing", debug)).error() == cond::not_found);
}

TEST_CASE("logs: of a pod without a node, and of what is not there", "[conformance][requests]")
{
    cluster_under_test c;
    REQUIRE(c.run(c.in_ns(pods).create(pod("p"))));
    const auto opened = c.run(pod_logs(c.api(), c.ns(), "p"));
    REQUIRE(opened);
    const auto lines = c.run((*opened)->next());
    REQUIRE(lines);
    CHECK(lines->empty());
    log_options unknown;
    unknown.container = "unknown";
    const auto refused = c.run(pod_logs(c.api(), c.ns(), "p", unknown));
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == cond::invalid);
    CHECK_THAT(refused.error().describe(), Catch::Contains("unknown"));
    CHECK(c.run(pod_logs(c.api(), c.ns(), "missing")).error() == cond::not_found);
}

TEST_CASE("tokens: of a service account", "[conformance][requests]")
{
    cluster_under_test c;
    REQUIRE(
        c.run(c.in_ns(accounts).create(R"({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"robot"}})")));
    token_options o{.lifetime = std::chrono::minutes{10}};
    const auto made = c.run(create_token(c.api(), c.ns(), "robot", o)).value();
    CHECK_FALSE(made.token.empty());
    CHECK_FALSE(made.expires.empty());
    CHECK(c.run(create_token(c.api(), c.ns(), "missing", o)).error() == cond::not_found);
}

TEST_CASE("collections: objects that a selector has are deleted together", "[conformance][requests]")
{
    cluster_under_test c;
    auto in = c.in_ns(maps);
    for (const char* name : {"a", "b"}) REQUIRE(c.run(in.create(config_map(name, "1", R"(,"labels":{"x":"1"})"))));
    REQUIRE(c.run(in.create(config_map("c"))));
    list_options which{.label_selector = "x=1"};
    delete_options tried{.dry_run = true};
    CHECK(c.run(in.remove_collection(which, tried)).value().items.size() == 2);
    CHECK(c.run(in.get("a")));
    CHECK(c.run(in.remove_collection(which)).value().items.size() == 2);
    CHECK(c.run(in.get("a")).error() == cond::not_found);
    CHECK(c.run(in.get("c")));
    CHECK(c.run(in.remove_collection(which)).value().items.empty());
}

TEST_CASE("tables: of a list and of one object", "[conformance][requests]")
{
    cluster_under_test c;
    REQUIRE(c.run(c.in_ns(maps).create(config_map("a"))));
    REQUIRE(c.run(c.in_ns(maps).create(config_map("b"))));
    list_options one{.field_selector = "metadata.name=b"};
    const auto listed = c.run(list_table(c.api(), maps, c.ns(), one)).value();
    REQUIRE(listed.columns.size() >= 2);
    CHECK(listed.columns[0].name == "Name");
    CHECK(listed.columns[0].format == "name");
    REQUIRE(listed.rows.size() == 1);
    CHECK(listed.rows[0].cells.size() == listed.columns.size());
    CHECK(listed.rows[0].cells[0] == "b");
    CHECK(listed.rows[0].shown.name() == "b");
    CHECK(listed.rows[0].shown.kind() == "PartialObjectMetadata");
    CHECK_FALSE(listed.resource_version.empty());
    const auto got = c.run(get_table(c.api(), maps, c.ns(), "a", table_object::whole)).value();
    REQUIRE(got.rows.size() == 1);
    CHECK(got.rows[0].shown["data"]["k"].as_string() == "1");
    const auto bare = c.run(get_table(c.api(), maps, c.ns(), "a", table_object::none)).value();
    CHECK_FALSE(bare.rows.at(0).shown);
    CHECK(c.run(get_table(c.api(), maps, c.ns(), "missing")).error() == cond::not_found);
}

TEST_CASE("metadata alone, and a state that is at hand", "[conformance][requests]")
{
    cluster_under_test c;
    const auto made = c.run(c.in_ns(maps).create(config_map("a", "1", R"(,"labels":{"x":"1"})"))).value();
    get_options alone{.metadata_only = true};
    const auto metadata = c.run(c.in_ns(maps).get("a", alone)).value();
    CHECK(metadata.kind() == "PartialObjectMetadata");
    CHECK(metadata.labels()["x"].as_string() == "1");
    CHECK(metadata.uid() == made.uid());
    CHECK_FALSE(metadata["data"]);
    get_options at_least{.resource_version = std::string(made.resource_version())};
    CHECK(c.run(c.in_ns(maps).get("a", at_least)).value().same_uid(made));
}

TEST_CASE("the sink receives a warning for each unknown field", "[conformance][requests]")
{
    cluster_under_test c;
    std::vector<std::string> texts;
    client_options o;
    o.on_warning = [&](const server_warning& w) { texts.push_back(w.text); };
    const auto api = c.connect(o);
    const std::string body = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"bogus":1})";
    write_options warn{.dry_run = true, .validation = field_validation::warn};
    REQUIRE(c.run(api.create(maps, c.ns(), body, warn)));
    REQUIRE(c.run(api.create(maps, c.ns(), body, warn)));
    CHECK(texts == std::vector<std::string>{"unknown field \"bogus\""});
    write_options ignore{.dry_run = true, .validation = field_validation::ignore};
    const std::string other = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"other":1})";
    REQUIRE(c.run(api.create(maps, c.ns(), other, ignore)));
    CHECK(texts.size() == 1);
}

TEST_CASE("discovery: names, kinds, categories, version, OpenAPI", "[conformance][requests]")
{
    cluster_under_test c;
    const discovery d(c.api());
    CHECK(c.run(d.resource_for("deploy")).value() == deployments);
    CHECK(c.run(d.resource_for("po")).value() == pods);
    CHECK(c.run(d.resource_for("deployments.v1.apps")).value() == deployments);
    CHECK(c.run(d.resource_of("apps/v1", "Deployment")).value() == deployments);
    CHECK(c.run(d.resource_for("xyzzy")).error() == cond::not_found);
    const auto all = c.run(d.in_category("all")).value();
    CHECK(std::find(all.begin(), all.end(), pods) != all.end());
    CHECK(std::find(all.begin(), all.end(), maps) == all.end());
    CHECK(c.run(d.resources()).value()->missing.empty());
    CHECK(c.run(get_server_version(c.api())).value().major == "1");
    const auto documents = c.run(list_openapi(c.api())).value();
    const auto apps = std::find_if(documents.begin(), documents.end(),
                                   [](const openapi_document& one) { return one.name == "apis/apps/v1"; });
    REQUIRE(apps != documents.end());
    CHECK(c.run(get_openapi(c.api(), *apps)).value().find("io.k8s.api.apps.v1.Deployment") != std::string::npos);
}

TEST_CASE("apply: create, change, conflict, force, extract and migration", "[conformance][requests]")
{
    cluster_under_test c;
    write_options mine{.field_manager = "m"};
    write_options theirs{.field_manager = "n"};
    REQUIRE(c.run(c.api().apply(maps, c.ns(), "a", R"({"data":{"x":"1","y":"1"}})", mine)));
    const auto refused = c.run(c.api().apply(maps, c.ns(), "a", R"({"data":{"x":"2"}})", theirs));
    REQUIRE_FALSE(refused);
    const auto conflicts = apply_conflicts(refused.error());
    REQUIRE(conflicts.size() == 1);
    CHECK(conflicts[0].manager == "m");
    CHECK(conflicts[0].field == ".data.x");
    theirs.force = true;
    const auto taken = c.run(c.api().apply(maps, c.ns(), "a", R"({"data":{"x":"2"}})", theirs)).value();
    CHECK(taken["data"]["x"].as_string() == "2");
    auto own = extract(taken, "m").value();
    CHECK(own.at("data") == boost::json::parse(R"({"y":"1"})"));
    own.as_object()["data"].as_object()["z"] = "3";
    const auto again = c.run(c.api().apply(maps, c.ns(), "a", own, mine)).value();
    CHECK(again["data"]["x"].as_string() == "2");
    CHECK(again["data"]["z"].as_string() == "3");

    write_options updates{.field_manager = "kubectl-client-side-apply"};
    const std::string updated = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"},"data":{"x":"1"}})";
    REQUIRE(c.run(c.api().create(maps, c.ns(), updated, updates)));
    const apply_migration how{.to = "m"};
    CHECK(c.run(migrate_to_apply(c.api(), maps, c.ns(), "b", how)).value());
    CHECK_FALSE(c.run(migrate_to_apply(c.api(), maps, c.ns(), "b", how)).value());
    // The field that is left out now is no longer owned, and goes.
    const auto left = c.run(c.api().apply(maps, c.ns(), "b", R"({"data":{"y":"1"}})", mine)).value();
    CHECK_FALSE(left["data"]["x"]);
    CHECK(left["data"]["y"].as_string() == "1");
}
