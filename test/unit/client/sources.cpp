// The client as a source of informers: one request at a time, in the scope of the source.
#include "rest_fixture.hpp"

using namespace kubecoro;
using namespace kubecoro::rest_test;
using namespace std::chrono_literals;

TEST_CASE("client: an informer's source sends each request once, in its scope", "[client][rest]")
{
    world the;
    the.net->replies = {{.status = 429, .headers = {{"retry-after", "1"}}},
                        {.body = {list_of("a", "1")}},
                        {.status = 410, .body = {expired}}};
    std::shared_ptr<source_provider> provider = the.make();
    source_scope scope;
    scope.ns = "web";
    scope.label_selector = "app=shop";
    auto source = provider->open(pods, scope);
    CHECK(source->describe() == "pods in namespace web with labels app=shop");
    provider.reset();
    list_options first;
    first.limit = 500;
    CHECK(the.run.run(source->list(first)).error().retry_after() == 1s);
    REQUIRE(the.run.run(source->list(first)));
    CHECK(the.net->seen[1].target == "/api/v1/namespaces/web/pods?labelSelector=app%3Dshop&limit=500");
    CHECK(the.run.run(source->watch(watch_options())).error().condition() == cond::expired);
    CHECK(the.net->seen[2].target.find("labelSelector=app%3Dshop") != std::string::npos);
}

TEST_CASE("client: a source streams its lists cheaply if it asks for protobuf", "[client][rest]")
{
    world the;
    std::shared_ptr<source_provider> provider = the.make();
    source_scope as_protobuf;
    as_protobuf.decode.form = wire_form::protobuf;
    CHECK(provider->open(pods, as_protobuf)->streams_cheaply());
    source_scope as_json;
    as_json.decode.form = wire_form::json;
    CHECK_FALSE(provider->open(pods, as_json)->streams_cheaply());
    const resource_type widgets{.group = "example.com", .version = "v1", .plural = "widgets", .kind = "Widget"};
    CHECK_FALSE(provider->open(widgets, as_protobuf)->streams_cheaply());
    as_protobuf.metadata_only = true;
    CHECK(provider->open(widgets, as_protobuf)->streams_cheaply());
}

TEST_CASE("client: a shard selector that the server ignores is a failure", "[client][rest]")
{
    world the;
    const std::string shard = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')";
    const std::string followed =
        R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9","shardInfo":{"selector":")" + shard +
        R"("}},"items":[]})";
    the.net->replies = {{.body = {list_of("a", "1")}}, {.body = {followed}}};
    std::shared_ptr<source_provider> provider = the.make();
    source_scope scope;
    scope.shard_selector = shard;
    auto source = provider->open(pods, scope);
    CHECK(source->describe() == "pods in shard " + shard);
    CHECK_FALSE(source->streams_lists());
    const auto ignored = the.run.run(source->list(list_options()));
    REQUIRE_FALSE(ignored);
    CHECK(ignored.error() == cond::misconfigured);
    CHECK(ignored.error().describe().find("ShardedListAndWatch") != std::string::npos);
    const auto page = the.run.run(source->list(list_options()));
    REQUIRE(page);
    CHECK(page->shard_selector == shard);
    CHECK(the.net->seen[1].target.find("shardSelector=shardRange%28") != std::string::npos);
}

TEST_CASE("client: an informer's source returns known objects", "[client][rest]")
{
    struct knows_one final : detail::known_objects
    {
        object one;
        [[nodiscard]] object find(object_key_view key, std::string_view uid, std::string_view version) const override
        {
            return key == one.key() && uid == one.uid() && version == one.resource_version() ? one : object{};
        }
    };
    const std::string item =
        R"({"metadata":{"name":"a","namespace":"web","uid":"u","resourceVersion":"1"},"spec":{"x":1}})";
    auto known = std::make_shared<knows_one>();
    known->one = *object::parse(item);
    world the;
    the.net->replies = {
        {.body = {R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[)" + item +
                  "]}"}}};
    source_scope scope;
    scope.known = known;
    const std::shared_ptr<source_provider> provider = the.make();
    const auto page = the.run.run(provider->open(pods, scope)->list(list_options()));
    REQUIRE(page);
    CHECK(page->items.at(0).is_same(known->one));
}
