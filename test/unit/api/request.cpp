#include <kubecoro/test/catch.hpp>

#include <kubecoro/api/request.hpp>
#include <kubecoro/api/untyped.hpp>

using namespace kubecoro;

namespace {

std::string target(const result<request>& r)
{
    if (!r) FAIL(r.error().describe());
    return r->method + " " + r->target;
}

std::string problem(const result<request>& r)
{
    REQUIRE_FALSE(r);
    REQUIRE(r.error() == cond::invalid);
    return r.error().message();
}

const request_builder pods(untyped::pod::resource(), "web");
const request_builder all_pods(untyped::pod::resource());
const request_builder nodes(untyped::node::resource());
const request_builder deployments(untyped::deployment::resource(), "web");

const std::string encoded_shard = "shardRange%28object.metadata.uid%2C+%270x0%27%29";

} // namespace

TEST_CASE("resource_type: names and paths", "[api][request]")
{
    const auto d = untyped::deployment::resource();
    CHECK(d.api_version() == "apps/v1");
    CHECK(d.path_prefix() == "/apis/apps/v1");
    CHECK(d.display_name() == "deployments.apps");
    const auto p = untyped::pod::resource();
    CHECK(p.api_version() == "v1");
    CHECK(p.path_prefix() == "/api/v1");
    CHECK(p.display_name() == "pods");
    CHECK(p == resource_type{"", "v1", "pods", "Other", false});
    CHECK(group_version::parse("apps/v1") == group_version{"apps", "v1"});
    CHECK(group_version::parse("v1") == group_version{"", "v1"});
}

TEST_CASE("request: list", "[api][request]")
{
    CHECK(target(pods.list({})) == "GET /api/v1/namespaces/web/pods");
    CHECK(target(all_pods.list({})) == "GET /api/v1/pods");
    CHECK(target(nodes.list({})) == "GET /api/v1/nodes");
    CHECK(target(deployments.list({})) == "GET /apis/apps/v1/namespaces/web/deployments");
    list_options o;
    o.label_selector = "app in (a,b),x!=y";
    o.field_selector = "status.phase=Running";
    o.resource_version = "0";
    o.match = version_match::not_older_than;
    o.limit = 500;
    CHECK(target(all_pods.list(o)) ==
          "GET /api/v1/pods?fieldSelector=status.phase%3DRunning&labelSelector=app+in+%28a%2Cb%29%2Cx%21%3Dy&limit=500"
          "&resourceVersion=0&resourceVersionMatch=NotOlderThan");
    o = {};
    o.continue_token = "a+/=";
    o.limit = 2;
    CHECK(target(pods.list(o)) == "GET /api/v1/namespaces/web/pods?continue=a%2B%2F%3D&limit=2");
    o.resource_version = "5";
    CHECK(problem(pods.list(o)) == "a continue token cannot be combined with a resource version or a match");
    o = {};
    o.resource_version = "5";
    o.match = version_match::exact;
    const auto r = pods.list(o);
    CHECK(target(r) == "GET /api/v1/namespaces/web/pods?resourceVersion=5&resourceVersionMatch=Exact");
    CHECK(r->accept == "application/json");
    CHECK(r->content_type.empty());
    CHECK(r->body.empty());
    o = {};
    o.shard_selector = "shardRange(object.metadata.uid, '0x0')";
    CHECK(target(pods.list(o)) == "GET /api/v1/namespaces/web/pods?shardSelector=" + encoded_shard);
}

TEST_CASE("request: watch", "[api][request]")
{
    CHECK(target(pods.watch({})) == "GET /api/v1/namespaces/web/pods?allowWatchBookmarks=true&watch=true");
    watch_options o;
    o.allow_bookmarks = false;
    CHECK(target(pods.watch(o)) == "GET /api/v1/namespaces/web/pods?watch=true");
    o.allow_bookmarks = true;
    o.resource_version = "12";
    o.match = version_match::not_older_than;
    o.send_initial_events = true;
    o.timeout = std::chrono::minutes(5);
    o.label_selector = "a=b";
    o.field_selector = "c=d";
    CHECK(target(nodes.watch(o)) ==
          "GET /api/v1/nodes?allowWatchBookmarks=true&fieldSelector=c%3Dd&labelSelector=a%3Db&resourceVersion=12"
          "&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeoutSeconds=300&watch=true");
    o = {};
    o.send_initial_events = false;
    CHECK(target(nodes.watch(o)) == "GET /api/v1/nodes?allowWatchBookmarks=true&sendInitialEvents=false&watch=true");
    o = {};
    o.shard_selector = "shardRange(object.metadata.uid, '0x0')";
    CHECK(target(nodes.watch(o)) ==
          "GET /api/v1/nodes?allowWatchBookmarks=true&shardSelector=" + encoded_shard + "&watch=true");
}

TEST_CASE("request: get, create, update", "[api][request]")
{
    CHECK(target(pods.get("a-1")) == "GET /api/v1/namespaces/web/pods/a-1");
    CHECK(target(deployments.get("d", "scale")) == "GET /apis/apps/v1/namespaces/web/deployments/d/scale");
    CHECK(target(nodes.get("system:node:x y")) == "GET /api/v1/nodes/system:node:x%20y");
    const auto created = pods.create("{}");
    CHECK(target(created) == "POST /api/v1/namespaces/web/pods");
    CHECK(created->content_type == "application/json");
    CHECK(created->body == "{}");
    write_options w;
    w.dry_run = true;
    w.field_manager = "my tool/1";
    w.validation = field_validation::strict;
    CHECK(target(nodes.create("{}", w)) ==
          "POST /api/v1/nodes?dryRun=All&fieldManager=my+tool%2F1&fieldValidation=Strict");
    w = {};
    w.validation = field_validation::warn;
    CHECK(target(pods.update("a", "{}", w)) == "PUT /api/v1/namespaces/web/pods/a?fieldValidation=Warn");
    w.validation = field_validation::ignore;
    CHECK(target(pods.update("a", "{}", w, "status")) ==
          "PUT /api/v1/namespaces/web/pods/a/status?fieldValidation=Ignore");
    w.force = true;
    const std::string refused = "force is only valid for server-side apply";
    CHECK(problem(pods.create("{}", w)) == refused);
    CHECK(problem(pods.create_subresource("a", "eviction", "{}", w)) == refused);
    CHECK(problem(pods.update("a", "{}", w)) == refused);
}

TEST_CASE("request: patch", "[api][request]")
{
    const auto type = [](patch_kind kind) {
        write_options o;
        o.field_manager = "m";
        const auto r = pods.patch("a", kind, "x", o);
        CHECK(target(r) == "PATCH /api/v1/namespaces/web/pods/a?fieldManager=m");
        CHECK(r->body == "x");
        return r->content_type;
    };
    CHECK(type(patch_kind::json) == "application/json-patch+json");
    CHECK(type(patch_kind::merge) == "application/merge-patch+json");
    CHECK(type(patch_kind::strategic_merge) == "application/strategic-merge-patch+json");
    CHECK(type(patch_kind::apply) == "application/apply-patch+yaml");
    write_options o;
    o.force = true;
    CHECK(problem(pods.patch("a", patch_kind::merge, "{}", o)) == "force is only valid for server-side apply");
    CHECK(problem(pods.patch("a", patch_kind::apply, "{}", o)) == "server-side apply requires a field manager");
    o.field_manager = "m";
    o.dry_run = true;
    CHECK(target(pods.patch("a", patch_kind::apply, "{}", o, "status")) ==
          "PATCH /api/v1/namespaces/web/pods/a/status?dryRun=All&fieldManager=m&force=true");
}

TEST_CASE("request: delete sends its options in the body", "[api][request]")
{
    const auto plain = pods.remove("a");
    CHECK(target(plain) == "DELETE /api/v1/namespaces/web/pods/a");
    CHECK(plain->body.empty());
    CHECK(plain->content_type.empty());
    delete_options o;
    o.dry_run = true;
    o.grace_period = std::chrono::seconds(0);
    o.propagation = deletion_propagation::foreground;
    o.uid = "u\"1";
    o.resource_version = "7";
    const auto full = pods.remove("a", o);
    CHECK(target(full) == "DELETE /api/v1/namespaces/web/pods/a");
    CHECK(full->content_type == "application/json");
    CHECK(full->body == R"({"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0,)"
                        R"("preconditions":{"uid":"u\"1","resourceVersion":"7"},"propagationPolicy":"Foreground",)"
                        R"("dryRun":["All"]})");
    delete_options orphan;
    orphan.propagation = deletion_propagation::orphan;
    CHECK(pods.remove("a", orphan)->body ==
          R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Orphan"})");
}

TEST_CASE("request: names that are invalid in a path are rejected, naming the part", "[api][request]")
{
    CHECK(problem(pods.get("")) == "name of pods is empty");
    CHECK(problem(pods.get("a/b")) == "name of pods \"a/b\" contains '/' or '%'");
    CHECK(problem(pods.get("a%2fb")) == "name of pods \"a%2fb\" contains '/' or '%'");
    CHECK(problem(pods.get(".")) == "name of pods \".\" is not allowed in a path");
    CHECK(problem(pods.get("a", "..")) == "subresource \"..\" is not allowed in a path");
    CHECK(problem(deployments.remove("..")) == "name of deployments.apps \"..\" is not allowed in a path");
    CHECK(problem(all_pods.get("a")) == "namespace of pods is empty");
    CHECK(problem(all_pods.create("{}")) == "namespace of pods is empty");
    CHECK(problem(request_builder(untyped::pod::resource(), "a/b").list({})) ==
          "namespace of pods \"a/b\" contains '/' or '%'");
    CHECK(problem(request_builder(untyped::pod::resource(), "..").watch({})) ==
          "namespace of pods \"..\" is not allowed in a path");
    CHECK(target(request_builder(untyped::node::resource(), "web").get("n1")) == "GET /api/v1/nodes/n1");
    CHECK(target(pods.get("what?#now")) == "GET /api/v1/namespaces/web/pods/what%3F%23now");
}

TEST_CASE("request: query values are encoded as by Go's clients", "[api][request]")
{
    CHECK(encode_query_value("aZ09-._~") == "aZ09-._~");
    CHECK(encode_query_value("a b&c=d+e%/?#") == "a+b%26c%3Dd%2Be%25%2F%3F%23");
    CHECK(encode_query_value("\xc3\xa4\n") == "%C3%A4%0A");
    CHECK(encode_query_value("").empty());
}

TEST_CASE("request: metadata alone is requested by Accept, with plain JSON as the fallback", "[api][request]")
{
    const list_options list{.metadata_only = true};
    const watch_options watch{.metadata_only = true};
    CHECK(pods.list(list)->accept ==
          "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json");
    CHECK(pods.watch(watch)->accept == "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json");
    CHECK(target(pods.list(list)) == target(pods.list({})));
    CHECK(pods.list({})->accept == "application/json");
}
