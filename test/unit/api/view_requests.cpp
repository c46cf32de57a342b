// Requests for logs, tables, subresources and whole collections, as text.
#include <kubecoro/test/catch.hpp>

#include <kubecoro/api/request.hpp>
#include <kubecoro/api/untyped.hpp>

using namespace kubecoro;
using namespace std::chrono_literals;

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

const std::string log_path = "GET /api/v1/namespaces/web/pods/p/log";
const std::string tables = "application/json;as=Table;g=meta.k8s.io;v=v1,"
                           "application/json;as=Table;g=meta.k8s.io;v=v1beta1,application/json";

std::string with(log_options o) { return target(pods.log("p", o)); }
std::string without(log_options o) { return problem(pods.log("p", o)); }

} // namespace

TEST_CASE("request: a log with each option", "[api][request]")
{
    CHECK(with({}) == log_path);
    CHECK(pods.log("p", {})->accept == "text/plain,application/json,*/*");
    CHECK(with({.container = "c 1"}) == log_path + "?container=c+1");
    CHECK(with({.follow = true}) == log_path + "?follow=true");
    CHECK(with({.previous = true}) == log_path + "?previous=true");
    CHECK(with({.timestamps = true}) == log_path + "?timestamps=true");
    CHECK(with({.since = 90s}) == log_path + "?sinceSeconds=90");
    CHECK(with({.since_time = "2026-11-21T06:09:05.5+01:00"}) ==
          log_path + "?sinceTime=2026-11-21T06%3A09%3A05.5%2B01%3A00");
    CHECK(with({.tail_lines = 0}) == log_path + "?tailLines=0");
    CHECK(with({.limit_bytes = 1}) == log_path + "?limitBytes=1");
    CHECK(with({.stream = "Stderr"}) == log_path + "?stream=Stderr");
    CHECK(with({.container = "c", .follow = true, .previous = true, .timestamps = true, .tail_lines = 5}) ==
          log_path + "?container=c&follow=true&previous=true&tailLines=5&timestamps=true");
}

TEST_CASE("request: log options that exclude each other are rejected", "[api][request]")
{
    CHECK(without({.since = 1s, .since_time = "2026-11-21T06:09:05Z"}).find("not both") != std::string::npos);
    CHECK(without({.since = 0s}).find("at least 1 s") != std::string::npos);
    CHECK(without({.since_time = "yesterday"}).find("RFC 3339") != std::string::npos);
    CHECK(without({.limit_bytes = 0}).find("at least 1 byte") != std::string::npos);
    CHECK(without({.max_line_bytes = 3}).find("at least 4 bytes") != std::string::npos);
    CHECK(problem(all_pods.log("p", {})) == "namespace of pods is empty");
}

TEST_CASE("request: tables", "[api][request]")
{
    const auto one = pods.get_table("p", table_object::metadata);
    CHECK(target(one) == "GET /api/v1/namespaces/web/pods/p");
    CHECK(one->accept == tables);
    CHECK(target(pods.get_table("p", table_object::whole)) == "GET /api/v1/namespaces/web/pods/p?includeObject=Object");
    list_options o;
    o.label_selector = "a=b";
    o.limit = 500;
    const auto list = all_pods.list_table(o, table_object::none);
    CHECK(target(list) == "GET /api/v1/pods?includeObject=None&labelSelector=a%3Db&limit=500");
    CHECK(list->accept == tables);
    CHECK(target(nodes.list_table({}, table_object::metadata)) == "GET /api/v1/nodes");
}

TEST_CASE("request: get at a version, and of metadata alone", "[api][request]")
{
    CHECK(target(pods.get("p", get_options{.resource_version = "0"})) ==
          "GET /api/v1/namespaces/web/pods/p?resourceVersion=0");
    CHECK(pods.get("p", get_options{.metadata_only = true})->accept ==
          "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json");
    CHECK(target(pods.get("p", get_options{}, "status")) == "GET /api/v1/namespaces/web/pods/p/status");
    const request_builder protobuf(untyped::pod::resource(), "web", wire_form::protobuf);
    CHECK(accepts_protobuf(*protobuf.get("p", get_options{.metadata_only = true})));
}

TEST_CASE("request: subresources can be created and removed", "[api][request]")
{
    write_options w;
    w.dry_run = true;
    const auto created = pods.create_subresource("p", "eviction", "{}", w);
    CHECK(target(created) == "POST /api/v1/namespaces/web/pods/p/eviction?dryRun=All");
    CHECK(created->content_type == "application/json");
    CHECK(created->body == "{}");
    CHECK(problem(pods.create_subresource("p", "", "{}")) == "the name of the subresource is empty");
    CHECK(problem(pods.create_subresource("p", "a/b", "{}")) == "subresource \"a/b\" contains '/' or '%'");
    CHECK(target(nodes.remove("n", {}, "proxy")) == "DELETE /api/v1/nodes/n/proxy");
}

TEST_CASE("request: the deletion of a collection", "[api][request]")
{
    list_options which;
    which.label_selector = "app=web";
    which.limit = 10;
    delete_options how;
    how.propagation = deletion_propagation::background;
    const auto r = pods.remove_collection(which, how);
    CHECK(target(r) == "DELETE /api/v1/namespaces/web/pods?labelSelector=app%3Dweb&limit=10");
    CHECK(r->body == R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background"})");
    CHECK(r->content_type == "application/json");
    CHECK(target(nodes.remove_collection({})) == "DELETE /api/v1/nodes");
    CHECK(nodes.remove_collection({})->body.empty());
    // No typing error may delete the objects of all namespaces.
    CHECK(problem(all_pods.remove_collection({})) == "namespace of pods is empty");
    which.continue_token = "t";
    which.resource_version = "5";
    CHECK(problem(pods.remove_collection(which)).find("continue token") != std::string::npos);
}
