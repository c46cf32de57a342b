// Server-side apply: bodies, conflicts, what a manager owns, and the move from updates.
#include <kubecoro/client/apply.hpp>

#include "apply/apply_body.hpp"
#include "rest_fixture.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <fstream>

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace kubecoro::rest_test;
namespace json = boost::json;

namespace {

const auto maps = untyped::config_map::resource();
const auto deployments = untyped::deployment::resource();

std::string body(const std::string& text, const std::string& subresource = {})
{
    const auto made = apply_body(maps, "web", "a", text, subresource);
    return made ? *made : made.error().message();
}

bool says(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// An entry of managedFields.
std::string entry(const std::string& manager, const std::string& operation, const std::string& fields,
                  const std::string& version = "apps/v1", const std::string& more = {})
{
    return R"({"manager":")" + manager + R"(","operation":")" + operation + R"(","apiVersion":")" + version +
           R"(","fieldsType":"FieldsV1","fieldsV1":)" + fields + more + "}";
}

/// A deployment with these entries.
object live(const std::string& entries)
{
    return object::parse(
               R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"d","namespace":"web","uid":"u1",)"
               R"("resourceVersion":"7","labels":{"app":"d","l":"1"},"finalizers":["a/b","c/d"],"managedFields":[)" +
               entries +
               R"(]},"spec":{"replicas":3,"selector":{"matchLabels":{"a":"b"}},"template":{"spec":{"containers":[)"
               R"({"name":"c","image":"i:1","ports":[{"containerPort":80,"protocol":"TCP","name":"w"}]},)"
               R"({"name":"e","image":"i:2","args":["x","y"]}]}}},"status":{"replicas":2}})")
        .value();
}

std::string extracted(const object& o, const std::string& manager, const std::string& subresource = {})
{
    const auto taken = extract(o, manager, subresource);
    return taken ? json::serialize(*taken) : taken.error().message();
}

/// The extracted part without the names.
json::value part(const std::string& entries)
{
    auto taken = extract(live(entries), "m").value();
    auto& root = taken.get_object();
    CHECK(root["apiVersion"] == "apps/v1");
    CHECK(root["kind"] == "Deployment");
    CHECK(root["metadata"].at("name") == "d");
    CHECK(root["metadata"].at("namespace") == "web");
    root.erase("apiVersion");
    root.erase("kind");
    root["metadata"].get_object().erase("name");
    root["metadata"].get_object().erase("namespace");
    if (root["metadata"].get_object().empty()) root.erase("metadata");
    return taken;
}

const std::string identity =
    R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","namespace":"web"}})";

std::string conflict_answer(const std::string& causes)
{
    return R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Conflict","code":409,"message":"Apply failed",)"
           R"("details":{"causes":[)" +
           causes + "]}}";
}

} // namespace

TEST_CASE("apply: a body gets the names that it lacks, and is else left as it is", "[client][apply]")
{
    CHECK(json::parse(body("{}")) == json::parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})"));
    const std::string complete =
        R"({ "kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"web"},"data":{"n":1.50}})";
    CHECK(body(complete) == complete);
    CHECK(json::parse(body("{}", "status")) == json::parse(R"({"metadata":{"name":"a"}})"));
    CHECK(body(R"({"metadata":{"name":"a"},"kind":"Scale"})", "scale") ==
          R"({"metadata":{"name":"a"},"kind":"Scale"})");
}

TEST_CASE("apply: a body may have what kubectl sends", "[client][apply]")
{
    const std::string head = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a",)";
    for (const char* rest : {R"("namespace":""}})", R"("namespace":null}})", R"("resourceVersion":"7","uid":"u"}})"})
        CHECK(body(head + rest) == head + rest);
    // The server ignores the namespace of a cluster-scoped object.
    const std::string node = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n","namespace":"web"}})";
    CHECK(apply_body(untyped::node::resource(), "", "n", node, "").value() == node);
}

TEST_CASE("apply: bodies that are not meant are refused", "[client][apply]")
{
    CHECK(says(body("nonsense"), "is not a JSON object"));
    CHECK(says(body("[]"), "is not a JSON object"));
    CHECK(says(body(R"({"metadata":{"managedFields":[]}})"), "metadata.managedFields"));
    CHECK(says(body(R"({"apiVersion":"v2"})"), "another apiVersion"));
    CHECK(says(body(R"({"kind":"Pod"})"), "another kind"));
    CHECK(says(body(R"({"metadata":{"name":"b"}})"), "another name"));
    CHECK(says(body(R"({"metadata":{"name":7}})"), "another name"));
    CHECK(says(body(R"({"metadata":{"namespace":"jobs"}})"), "another namespace"));
    CHECK(says(body(R"({"metadata":{"namespace":7}})"), "not a string"));
    CHECK(says(body(R"({"metadata":7})"), "not a JSON object"));
    std::string deep = "1";
    for (int i = 0; i < 300; ++i) deep = "[" + deep + "]";
    CHECK(says(body(R"({"data":)" + deep + "}"), "is not a JSON object"));
    std::string schema = "1";
    for (int i = 0; i < 150; ++i) schema = "[" + schema + "]";
    CHECK_FALSE(says(body(R"({"data":)" + schema + "}"), "is not a JSON object"));
}

TEST_CASE("client: apply sends a patch of its own kind", "[client][apply]")
{
    world the;
    auto c = the.make();
    for (int i = 0; i < 3; ++i) the.net->replies.push_back({.body = {pod("a")}});
    write_options o{.field_manager = "m"};
    REQUIRE(the.run.run(c.apply(maps, "web", "a", "{}", o)));
    CHECK(the.net->seen[0].method == "PATCH");
    CHECK(the.net->seen[0].target == "/api/v1/namespaces/web/configmaps/a?fieldManager=m");
    CHECK(the.net->seen[0].content_type == "application/apply-patch+yaml");
    write_options all{.dry_run = true, .field_manager = "m", .force = true, .validation = field_validation::strict};
    REQUIRE(the.run.run(c.resource(maps, "web").apply("a", "{}", all, "status")));
    CHECK(the.net->seen[1].target ==
          "/api/v1/namespaces/web/configmaps/a/status?dryRun=All&fieldManager=m&fieldValidation=Strict&force=true");
    CHECK(the.run.run(c.apply(maps, "web", "a", "{}", {})).error() == cond::invalid);
    CHECK(the.run.run(c.apply(maps, "web", "a", "[]", o)).error() == cond::invalid);
    json_text missing("{}");
    missing.partial = true;
    CHECK(the.run.run(c.apply(maps, "web", "a", missing, o)).error() == cond::invalid);
    CHECK(the.net->seen.size() == 2);
}

TEST_CASE("client: conflicts of an apply name managers and fields", "[client][apply]")
{
    world the;
    auto c = the.make();
    const std::string causes =
        R"({"reason":"FieldManagerConflict","message":"conflict with \"m1\"","field":".spec.replicas"},)"
        R"({"reason":"FieldManagerConflict","message":"conflict with \"a \\\"b\\\" \\\\ \\n\" with subresource \"scale\" using )"
        R"(apps/v1 at 2026-11-21T06:12:14Z","field":".spec.template.spec.containers[name=\"c\"].image"},)"
        R"({"reason":"FieldManagerConflict","message":"conflict with \"m3\" using v1","field":".x"},)"
        R"({"reason":"FieldManagerConflict","message":"in other words","field":".y"},)"
        R"({"reason":"Other","message":"conflict with \"m4\"","field":".z"})";
    the.net->replies = {{.status = 409, .body = {conflict_answer(causes)}},
                        {.status = 409, .body = {conflict_answer("")}}};
    write_options o{.field_manager = "m"};
    const auto refused = the.run.run(c.apply(maps, "web", "a", "{}", o));
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == cond::conflict);
    CHECK(says(refused.error().describe(), "other managers own some of the fields"));
    const auto conflicts = apply_conflicts(refused.error());
    REQUIRE(conflicts.size() == 4);
    CHECK(conflicts[0] == apply_conflict{"m1", ".spec.replicas", "", "", "", "conflict with \"m1\""});
    CHECK(conflicts[1].manager == "a \"b\" \\ \\n");
    CHECK(conflicts[1].field == ".spec.template.spec.containers[name=\"c\"].image");
    CHECK(conflicts[1].subresource == "scale");
    CHECK(conflicts[1].api_version == "apps/v1");
    CHECK(conflicts[1].time == "2026-11-21T06:12:14Z");
    CHECK(conflicts[2].manager == "m3");
    CHECK(conflicts[2].api_version == "v1");
    CHECK(conflicts[2].time.empty());
    CHECK(conflicts[3].manager.empty());
    CHECK(conflicts[3].field == ".y");
    // Another client's change is another conflict.
    const auto changed = the.run.run(c.apply(maps, "web", "a", "{}", o));
    CHECK(changed.error() == cond::conflict);
    CHECK(apply_conflicts(changed.error()).empty());
    CHECK_FALSE(says(changed.error().describe(), "other managers"));
    CHECK(apply_conflicts(failure(cond::conflict)).empty());
}

TEST_CASE("extract: fields, maps and lists that the manager owns", "[client][apply]")
{
    CHECK(part(entry("m", "Apply", R"({"f:spec":{"f:replicas":{}}})")) == json::parse(R"({"spec":{"replicas":3}})"));
    CHECK(part(entry("m", "Apply", R"({"f:metadata":{"f:labels":{"f:app":{}}}})")) ==
          json::parse(R"({"metadata":{"labels":{"app":"d"}}})"));
    // The schema says that selectors are owned as one.
    CHECK(part(entry("m", "Apply", R"({"f:spec":{"f:selector":{}}})")) ==
          json::parse(R"({"spec":{"selector":{"matchLabels":{"a":"b"}}}})"));
    CHECK(part(entry("m", "Apply", R"({"f:metadata":{"f:labels":{}}})") + "," +
               entry("n", "Update", R"({"f:metadata":{"f:labels":{"f:app":{}}}})")) == json::parse("{}"));
    CHECK(part(entry("m", "Apply", R"({"f:metadata":{"f:labels":{}}})")) == json::parse("{}"));
    // A dot beside other paths says nothing about those that are not named.
    CHECK(part(entry("m", "Apply", R"({"f:metadata":{"f:labels":{".":{},"f:l":{}}}})")) ==
          json::parse(R"({"metadata":{"labels":{"l":"1"}}})"));
    // A field that has been removed since is left out.
    CHECK(part(entry("m", "Apply", R"({"f:spec":{"f:paused":{}}})")) == json::parse("{}"));
}

TEST_CASE("extract: items of lists keep their keys and the object's order", "[client][apply]")
{
    const auto containers = [](const std::string& fields) {
        return part(entry("m", "Apply", R"({"f:spec":{"f:template":{"f:spec":{"f:containers":)" + fields + "}}}}"))
            .at("spec")
            .at("template")
            .at("spec")
            .at("containers");
    };
    CHECK(containers(R"({"k:{\"name\":\"e\"}":{"f:image":{}}})") == json::parse(R"([{"name":"e","image":"i:2"}])"));
    CHECK(containers(R"({"k:{\"name\":\"e\"}":{".":{},"f:name":{}},"k:{\"name\":\"c\"}":{"f:image":{}}})") ==
          json::parse(R"([{"name":"c","image":"i:1"},{"name":"e"}])"));
    CHECK(
        containers(
            R"({"k:{\"name\":\"c\"}":{"f:ports":{"k:{\"protocol\":\"TCP\",\"containerPort\":80}":{"f:name":{}}}}})") ==
        json::parse(R"([{"name":"c","ports":[{"containerPort":80,"name":"w"}]}])"));
    CHECK(containers(R"({"k:{\"name\":\"e\"}":{"f:args":{}}})") == json::parse(R"([{"name":"e","args":["x","y"]}])"));
    // A key with the schema's default value is the manager's only if it has stated it.
    CHECK(containers(R"({"k:{\"name\":\"c\"}":{"f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},)"
                     R"("f:containerPort":{}}}}})") == json::parse(R"([{"name":"c","ports":[{"containerPort":80}]}])"));
    CHECK(part(entry("m", "Apply",
                     R"({"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"gone\"}":)"
                     R"({"f:image":{}}}}}}})")) == json::parse("{}"));
    CHECK(part(entry("m", "Apply", R"({"f:metadata":{"f:finalizers":{"v:\"c/d\"":{}}}})")) ==
          json::parse(R"({"metadata":{"finalizers":["c/d"]}})"));
}

TEST_CASE("extract: entries of others, of updates and of subresources are not the manager's", "[client][apply]")
{
    const auto replicas = R"({"f:spec":{"f:replicas":{}}})";
    CHECK(json::parse(extracted(live(entry("n", "Apply", replicas)), "m")) == json::parse(identity));
    CHECK(json::parse(extracted(live(entry("m", "Update", replicas)), "m")) == json::parse(identity));
    const auto of_status =
        live(entry("m", "Apply", R"({"f:status":{"f:replicas":{}}})", "apps/v1", R"(,"subresource":"status")"));
    CHECK(json::parse(extracted(of_status, "m")) == json::parse(identity));
    CHECK(says(extracted(of_status, "m", "status"), R"("status":{"replicas":2})"));
}

TEST_CASE("extract: objects that would pass for one without fields are refused", "[client][apply]")
{
    CHECK(says(extracted(live(""), "m"), "no managed fields"));
    decode_options dropping;
    dropping.drop_managed_fields = true;
    const auto text = live(entry("m", "Apply", "{}")).to_text();
    CHECK(says(extracted(decode_object(text, dropping).value(), "m"), "no managed fields"));
    CHECK(says(extracted(live(entry("m", "Apply", R"({"f:spec":{}})", "apps/v1beta1")), "m"),
               "has applied version apps/v1beta1"));
    CHECK(extract(live(entry("m", "Apply", "[]")), "m").error() == cond::corrupt);
    CHECK(extract(live(entry("n", "Apply", R"({"spec":{}})")), "m").error() == cond::corrupt);
}

namespace {

/// A custom object with these entries.
object robot(const std::string& entries)
{
    return object::parse(
               R"({"kind":"Robot","apiVersion":"example.com/v1","metadata":{"name":"r","managedFields":[)" + entries +
               R"(]},"spec":{"arms":[{"name":"l","side":"x","v":1},{"name":"r","side":"x","v":2}],"tags":["a","b"],)"
               R"("plan":["p"],"place":{"x":1,"y":2},"notes":{"n":"1"}}})")
        .value();
}

std::string robot_entry(const std::string& manager, const std::string& spec)
{
    return entry(manager, "Apply", R"({"f:spec":)" + spec + "}", "example.com/v1");
}

json::value robot_part(const result<json::value>& taken)
{
    auto spec = taken.value().as_object();
    return spec.contains("spec") ? spec["spec"] : json::value();
}

object definition(const std::string& kind = "Robot", const std::string& version = "v1")
{
    return object::
        parse(R"({"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1","metadata":{"name":"robots.example.com"},)"
              R"("spec":{"group":"example.com","names":{"kind":")" +
              kind + R"(","plural":"robots"},"versions":[{"name":")" + version +
              R"(","schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{)"
              R"("arms":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name","side"],)"
              R"("items":{"type":"object","properties":{"name":{"type":"string"},"side":{"type":"string","default":"x"},)"
              R"("v":{"type":"integer"}}}},"place":{"type":"object","x-kubernetes-map-type":"atomic","properties":{)"
              R"("x":{"type":"integer"}}},"notes":{"type":"object","additionalProperties":{"type":"string"}}}}}}}}]}})")
            .value();
}

} // namespace

TEST_CASE("extract: without its definition, a custom kind is owned as its managed fields show", "[client][apply]")
{
    const auto spec = [](const std::string& mine, const std::string& others) {
        return robot_part(extract(robot(robot_entry("m", mine) + "," + robot_entry("n", others)), "m"));
    };
    const auto* one = R"({"f:place":{},"f:notes":{},"f:plan":{}})";
    CHECK(spec(one, "{}") == json::parse(R"({"plan":["p"],"place":{"x":1,"y":2},"notes":{"n":"1"}})"));
    // Another one owns a part of the notes, so that they are not owned as one.
    CHECK(spec(one, R"({"f:notes":{"f:n":{}}})") == json::parse(R"({"plan":["p"],"place":{"x":1,"y":2}})"));
    CHECK(spec(R"({"f:arms":{"k:{\"name\":\"r\",\"side\":\"x\"}":{"f:v":{}}},"f:tags":{"v:\"b\"":{}}})", "{}") ==
          json::parse(R"({"arms":[{"v":2,"name":"r","side":"x"}],"tags":["b"]})"));
    CHECK(spec(R"({"f:arms":{"i:1":{}}})", "{}").at("arms").as_array().at(0).at("name") == "r");
    std::string many;
    for (int i = 0; i < 40; ++i)
        many += (i == 0 ? "" : ",") + std::string(R"("k:{\"key)") + std::to_string(i) + R"(\":1}":{})";
    CHECK(extract(robot(robot_entry("m", R"({"f:arms":{)" + many + "}}")), "m").error() == cond::corrupt);
}

TEST_CASE("extract: the cost grows with the entries of the object, not with their square", "[client][apply]")
{
    // Takes minutes if the fields of all managers are copied for each of them.
    std::string entries = robot_entry("m", R"({"f:plan":{}})");
    for (int i = 0; i < 30'000; ++i) {
        const auto n = std::to_string(i);
        entries += "," + robot_entry("o" + n, R"({"f:notes":{"f:)" + n + R"(":{}}})");
    }
    const auto o = robot(entries);
    CHECK(robot_part(extract(o, "m")) == json::parse(R"({"plan":["p"]})"));
    CHECK(robot_part(extract(o, definition(), "m")) == json::parse(R"({"plan":["p"]})"));
}

TEST_CASE("extract: an item that lacks one of the keys of an element is not owned by it", "[client][apply]")
{
    const auto* keys_of_two_kinds = R"({"f:arms":{"k:{\"a\":1,\"name\":\"r\"}":{},"k:{\"name\":\"r\"}":{"f:v":{}}}})";
    CHECK(robot_part(extract(robot(robot_entry("m", keys_of_two_kinds)), "m")) ==
          json::parse(R"({"arms":[{"v":2,"name":"r"}]})"));
}

TEST_CASE("extract: a definition says how a custom kind is owned", "[client][apply]")
{
    const auto o = robot(robot_entry(
        "m", R"({"f:place":{},"f:notes":{},"f:arms":{"k:{\"name\":\"r\",\"side\":\"x\"}":{".":{},"f:v":{}}}})"));
    CHECK(robot_part(extract(o, definition(), "m")) ==
          json::parse(R"({"arms":[{"v":2,"name":"r"}],"place":{"x":1,"y":2}})"));
    for (const auto& wrong : {definition("Other"), definition("Robot", "v2"), o})
        CHECK(extract(o, wrong, "m").error() == cond::invalid);
    CHECK(extract(live(entry("m", "Apply", "{}")), definition(), "m").error() == cond::invalid);
    CHECK(extract(robot(""), definition(), "m").error() == cond::invalid);
}

TEST_CASE("extract: as client-go extracts", "[client][apply]")
{
    std::ifstream lines(KUBECORO_TEST_DATA "/extracted.jsonl");
    std::string first;
    std::getline(lines, first);
    const auto crd = object::parse(first).value();
    int cases = 0;
    for (std::string line; std::getline(lines, line); ++cases) {
        const auto one = json::parse(line);
        const auto o = object::parse(json::serialize(one.at("object"))).value();
        const std::string manager(one.at("manager").as_string());
        const std::string subresource(one.at("subresource").as_string());
        INFO(o.kind() << " of " << manager << " " << subresource);
        const auto taken =
            o.kind() == "Robot" ? extract(o, crd, manager, subresource) : extract(o, manager, subresource);
        CHECK(taken.value() == one.at("extracted"));
    }
    CHECK(cases > 30);
}

namespace {

/// The entries after a migration, each as "manager operation fields"; "none" if there is nothing to do.
std::string migrated(const std::string& entries, apply_migration how = {.to = "m"})
{
    const auto patch = migration_patch(live(entries), how);
    if (!patch) return patch.error().message();
    if (!*patch) return "none";
    const auto ops = json::parse(**patch);
    CHECK(ops.at(0).at("op") == "replace");
    CHECK(ops.at(0).at("path") == "/metadata/managedFields");
    CHECK(ops.at(1) == json::parse(R"({"op":"replace","path":"/metadata/resourceVersion","value":"7"})"));
    std::string out;
    for (const auto& e : ops.at(0).at("value").as_array()) {
        CHECK(e.at("fieldsType") == "FieldsV1");
        out += std::string(e.at("manager").as_string()) + " " + std::string(e.at("operation").as_string()) + " " +
               json::serialize(e.at("fieldsV1")) + "\n";
    }
    return out;
}

const std::string kubectl = "kubectl-client-side-apply";
const std::string fields_a = R"({"f:a":{}})";
const std::string fields_b = R"({"f:b":{}})";

} // namespace

TEST_CASE("migration: an update becomes an apply", "[client][apply]")
{
    CHECK(migrated(entry(kubectl, "Update", fields_a)) == "m Apply {\"f:a\":{}}\n");
    CHECK(migrated(entry("other", "Update", fields_b) + "," + entry(kubectl, "Update", fields_a)) ==
          "other Update {\"f:b\":{}}\nm Apply {\"f:a\":{}}\n");
}

TEST_CASE("migration: an update joins the apply of the same version", "[client][apply]")
{
    CHECK(migrated(entry(kubectl, "Update", fields_a) + "," + entry("m", "Apply", fields_a)) ==
          "m Apply {\"f:a\":{}}\n");
    CHECK(migrated(entry("m", "Apply", fields_a) + "," + entry(kubectl, "Update", fields_b)) ==
          "m Apply {\"f:a\":{},\"f:b\":{}}\n");
}

TEST_CASE("migration: updates of other versions are given up", "[client][apply]")
{
    CHECK(migrated(entry("m", "Apply", fields_a, "apps/v5") + "," + entry(kubectl, "Update", fields_b, "apps/v1")) ==
          "m Apply {\"f:a\":{}}\n");
    CHECK(migrated(entry("m", "Apply", fields_a) + "," + entry(kubectl, "Update", fields_b, "apps/v5") + "," +
                   entry(kubectl, "Update", R"({"f:c":{}})")) == "m Apply {\"f:a\":{},\"f:c\":{}}\n");
    // The first entry, which is the newest, becomes the apply.
    CHECK(migrated(entry(kubectl, "Update", fields_a, "apps/v2") + "," + entry(kubectl, "Update", fields_b)) ==
          "m Apply {\"f:a\":{}}\n");
}

TEST_CASE("migration: several managers, subresources, and nothing to do", "[client][apply]")
{
    const apply_migration both{.from = {kubectl, "before-first-apply"}, .to = "m"};
    CHECK(migrated(entry(kubectl, "Update", fields_a) + "," + entry("before-first-apply", "Update", fields_b), both) ==
          "m Apply {\"f:a\":{},\"f:b\":{}}\n");
    const auto status = entry(kubectl, "Update", fields_a, "apps/v1", R"(,"subresource":"status")");
    CHECK(migrated(status) == "none");
    CHECK(migrated(status, {.to = "m", .subresource = "status"}) == "m Apply {\"f:a\":{}}\n");
    CHECK(migrated("") == "none");
    CHECK(migrated(entry("m", "Apply", fields_a)) == "none");
    CHECK(migrated(entry(kubectl, "Apply", fields_a)) == "none");
    CHECK(says(migrated(entry(kubectl, "Update", fields_a), {}), "has no name"));
    CHECK(migration_patch(live(entry(kubectl, "Update", "7")), {.to = "m"}).error() == cond::corrupt);
}

TEST_CASE("client: a migration is sent again when the object changes", "[client][apply]")
{
    world the;
    auto c = the.make();
    const auto old = live(entry(kubectl, "Update", fields_a)).to_text();
    const auto done = live(entry("m", "Apply", fields_a)).to_text();
    const std::string changed = R"({"kind":"Status","status":"Failure","reason":"Conflict","code":409})";
    const apply_migration how{.to = "m"};
    the.net->replies = {{.body = {old}}, {.status = 409, .body = {changed}}, {.body = {old}}, {.body = {done}}};
    CHECK(the.run.run(migrate_to_apply(c, deployments, "web", "d", how)).value());
    CHECK(the.net->seen.size() == 4);
    CHECK(the.net->seen[3].content_type == "application/json-patch+json");
    the.net->replies = {{.body = {done}}};
    CHECK_FALSE(the.run.run(migrate_to_apply(c, deployments, "web", "d", how)).value());
    for (int i = 0; i < 6; ++i) {
        the.net->replies.push_back({.body = {old}});
        the.net->replies.push_back({.status = 409, .body = {changed}});
    }
    CHECK(the.run.run(migrate_to_apply(c, deployments, "web", "d", how)).error() == cond::conflict);
    CHECK(the.net->replies.size() == 2);
    the.net->replies = {{.status = 404, .body = {"no"}}};
    CHECK(the.run.run(migrate_to_apply(c, deployments, "web", "d", how)).error() == cond::not_found);
    the.net->replies = {{.body = {old}}, {.status = 403, .body = {"no"}}};
    CHECK(the.run.run(migrate_to_apply(c, deployments, "web", "d", how)).error() == cond::forbidden);
    client_options dropping;
    dropping.decode.drop_managed_fields = true;
    CHECK(the.run.run(migrate_to_apply(the.make({}, dropping), deployments, "web", "d", how)).error() ==
          cond::misconfigured);
}
