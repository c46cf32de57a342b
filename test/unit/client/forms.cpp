// The form of answers: protobuf is asked for where a kind has it, and each answer says its form.
#include "rest_fixture.hpp"

#include <kubecoro/test/protobuf_bytes.hpp>

#include <algorithm>

using namespace kubecoro;
using namespace kubecoro::rest_test;
using namespace kubecoro::test;

namespace {

const std::string protobuf = "application/vnd.kubernetes.protobuf";
const std::string json = "application/json";

const resource_type widgets{.group = "example.com", .version = "v1", .plural = "widgets", .kind = "Widget"};
const auto config_map_kind = untyped::config_map::resource();

reply in_protobuf(std::string body, int status = 200)
{
    return {.status = status, .body = {std::move(body)}, .headers = {{"content-type", protobuf}}};
}

reply in_json(std::string body, int status = 200)
{
    return {.status = status, .body = {std::move(body)}, .headers = {{"content-type", json}}};
}

const std::string whole_map = enveloped("v1", "ConfigMap", config_map("ns", "a", "1"));
const std::string partial_map = enveloped("v1", "ConfigMap", config_map("ns", "a", "1") + field(900, "new"));
const std::string json_map =
    R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"ns"},"data":{"key":"1"},"new":1})";
const std::string not_acceptable =
    enveloped("v1", "Status", field(1, list_meta("")) + field(2, "Failure") + field(3, "only JSON") + field(6, 406));

std::size_t count(const std::vector<std::string>& lines, std::string_view text)
{
    return static_cast<std::size_t>(std::count_if(
        lines.begin(), lines.end(), [text](const std::string& line) { return line.find(text) != std::string::npos; }));
}

} // namespace

TEST_CASE("client: reads of built-in kinds ask for protobuf, and others do not", "[client][forms]")
{
    world the;
    for (int i = 0; i < 6; ++i) the.net->replies.push_back({.status = 404});
    auto c = the.make();
    (void)the.run.run(c.get(config_map_kind, "ns", "a"));
    (void)the.run.run(c.list(config_map_kind, "ns"));
    (void)the.run.run(c.watch(config_map_kind, "ns"));
    (void)the.run.run(c.get(widgets, "ns", "a"));
    (void)the.run.run(c.create(config_map_kind, "ns", json_map));
    list_options metadata;
    metadata.metadata_only = true;
    (void)the.run.run(c.list(widgets, "ns", metadata));
    for (std::size_t i = 0; i < 3; ++i) CHECK(the.net->seen[i].accept == protobuf + "," + json);
    CHECK(the.net->seen[3].accept == json);
    CHECK(the.net->seen[4].accept == json);
    const std::string as = ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,";
    CHECK(the.net->seen[5].accept == protobuf + as + json + as + json);
}

TEST_CASE("client: JSON can be chosen for a client and for an informer", "[client][forms]")
{
    world the;
    the.net->replies = {in_json(json_map), {.status = 404}};
    client_options options;
    options.decode.form = wire_form::json;
    auto c = the.make({}, options);
    REQUIRE(the.run.run(c.get(config_map_kind, "ns", "a")));
    CHECK(the.net->seen[0].accept == json);
    source_scope scope;
    scope.decode.form = wire_form::json;
    auto source = c.provider()->open(config_map_kind, scope);
    (void)the.run.run(source->list(list_options()));
    CHECK(the.net->seen[1].accept == json);
}

TEST_CASE("client: the Content-Type decides the form of an answer", "[client][forms]")
{
    for (const std::string& type :
         {protobuf, protobuf + ";stream=watch", std::string("APPLICATION/vnd.Kubernetes.Protobuf")}) {
        world the;
        the.net->replies = {
            {.body = {whole_map.substr(0, 7), whole_map.substr(7)}, .headers = {{"content-type", type}}}};
        auto c = the.make();
        const auto got = the.run.run(c.get(config_map_kind, "ns", "a"));
        REQUIRE(got);
        CHECK((*got)["data"]["key"].as_string() == "1");
    }
    world the;
    the.net->replies = {in_json(json_map), in_protobuf(json_map), in_json(whole_map)};
    auto c = the.make();
    CHECK(the.run.run(c.get(config_map_kind, "ns", "a")));
    CHECK(the.run.run(c.get(config_map_kind, "ns", "a")).error() == cond::corrupt);
    CHECK(the.run.run(c.get(config_map_kind, "ns", "a")).error() == cond::corrupt);
}

TEST_CASE("client: lists and watches are read in protobuf", "[client][forms]")
{
    world the;
    const std::string page = config_maps({config_map("ns", "a", "1"), config_map("ns", "b", "2")});
    const std::string change = framed("MODIFIED", whole_map);
    the.net->replies = {
        {.body = {page.substr(0, 20), page.substr(20)}, .headers = {{"content-type", protobuf}}},
        {.body = {change.substr(0, 3), change.substr(3)}, .headers = {{"content-type", protobuf + ";stream=watch"}}}};
    auto c = the.make();
    const auto list = the.run.run(c.list(config_map_kind, "ns"));
    REQUIRE(list);
    CHECK(list->items.size() == 2);
    auto watch = the.run.run(c.watch(config_map_kind, "ns"));
    REQUIRE(watch);
    const auto events = the.run.run((*watch)->next());
    REQUIRE(events);
    REQUIRE(events->size() == 1);
    CHECK(events->front().obj.name() == "a");
}

TEST_CASE("client: a server that refuses protobuf for a kind is asked for JSON from then on", "[client][forms]")
{
    const int status = GENERATE(406, 415);
    world the;
    the.net->replies = {in_protobuf(not_acceptable, status), in_json(json_map), in_json(json_map),
                        in_protobuf(enveloped("v1", "Pod", field(1, object_meta("ns", "p"))))};
    auto c = the.make();
    REQUIRE(the.run.run(c.get(config_map_kind, "ns", "a")));
    REQUIRE(the.run.run(c.get(config_map_kind, "ns", "a")));
    REQUIRE(the.run.run(c.get(pods, "ns", "p")));
    CHECK(the.net->seen[0].accept == protobuf + "," + json);
    CHECK(the.net->seen[1].accept == json);
    CHECK(the.net->seen[2].accept == json);
    CHECK(the.net->seen[3].accept == protobuf + "," + json);
    CHECK(count(the.lines, "reading this kind as JSON from now on") == 1);
}

TEST_CASE("client: a 406 to a request for JSON is a failure", "[client][forms]")
{
    world the;
    the.net->replies = {in_protobuf(not_acceptable, 406), in_protobuf(not_acceptable, 406)};
    auto c = the.make();
    const auto got = the.run.run(c.get(config_map_kind, "ns", "a"));
    REQUIRE_FALSE(got);
    CHECK(got.error().describe().find("only JSON") != std::string::npos);
    CHECK(the.net->seen.size() == 2);
}

TEST_CASE("client: an object with unknown fields is read again as JSON", "[client][forms]")
{
    world the;
    the.net->replies = {in_protobuf(partial_map), in_json(json_map), in_json(json_map)};
    auto c = the.make();
    const auto got = the.run.run(c.get(config_map_kind, "ns", "a"));
    REQUIRE(got);
    CHECK_FALSE(got->is_partial());
    CHECK((*got)["new"].as_int64() == 1);
    REQUIRE(the.run.run(c.get(config_map_kind, "ns", "a")));
    CHECK(the.net->seen[2].accept == json);
    CHECK(count(the.lines, "reading this kind as JSON from now on") == 1);
}

TEST_CASE("client: a list with unknown fields is read again as JSON", "[client][forms]")
{
    world the;
    const std::string again =
        R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"77"},"items":[)" + json_map + "]}";
    the.net->replies = {in_protobuf(config_maps({config_map("ns", "a", "1") + field(900, "new")})), in_json(again)};
    auto c = the.make();
    const bool all = GENERATE(false, true);
    const auto page = all ? the.run.run(c.list_all(config_map_kind, "ns")) : the.run.run(c.list(config_map_kind, "ns"));
    REQUIRE(page);
    REQUIRE(page->items.size() == 1);
    CHECK(page->items[0]["new"].as_int64() == 1);
}

TEST_CASE("client: a server that sends unknown fields whatever it is asked for is not asked without end",
          "[client][forms]")
{
    world the;
    const auto page = config_maps({config_map("ns", "a", "1") + field(900, "new")});
    the.net->replies = {in_protobuf(partial_map), in_protobuf(partial_map), in_protobuf(partial_map),
                        in_protobuf(page),        in_protobuf(page),        in_protobuf(page)};
    auto c = the.make();
    const auto got = the.run.run(c.get(config_map_kind, "ns", "a"));
    REQUIRE(got);
    CHECK(got->is_partial());
    CHECK(the.net->seen.size() == 2);
    // A write is sent once.
    CHECK(the.run.run(c.create(config_map_kind, "ns", json_map)));
    CHECK(the.net->seen.size() == 3);
    const auto list = the.run.run(c.list(config_map_kind, "ns"));
    REQUIRE(list);
    CHECK(list->items.at(0).is_partial());
    CHECK(the.net->seen.size() == 4);
}

TEST_CASE("client: an informer keeps objects with unknown fields", "[client][forms]")
{
    world the;
    the.net->replies = {in_protobuf(config_maps({config_map("ns", "a", "1") + field(900, "new")}))};
    auto source = the.make().provider()->open(config_map_kind, {});
    const auto page = the.run.run(source->list(list_options()));
    REQUIRE(page);
    CHECK(page->items.at(0).is_partial());
}

TEST_CASE("client: a program that meets unknown fields does not change how informers read", "[client][forms]")
{
    world the;
    the.net->replies = {in_protobuf(partial_map), in_json(json_map), {.status = 404}};
    auto c = the.make();
    REQUIRE(the.run.run(c.get(config_map_kind, "ns", "a")));
    auto source = c.provider()->open(config_map_kind, {});
    (void)the.run.run(source->list(list_options()));
    CHECK(the.net->seen[2].accept == protobuf + "," + json);
}

TEST_CASE("client: a partial object is not written", "[client][forms]")
{
    world the;
    auto c = the.make();
    auto partial = decode_object(partial_map, {}, {}, wire_form::protobuf);
    REQUIRE(partial);
    for (auto outcome :
         {the.run.run(c.update(config_map_kind, "ns", "a", *partial)),
          the.run.run(c.create(config_map_kind, "ns", *partial)),
          the.run.run(c.patch(config_map_kind, "ns", "a", patch_kind::apply, *partial, {.field_manager = "me"}))}) {
        REQUIRE_FALSE(outcome);
        CHECK(outcome.error() == cond::invalid);
        CHECK(outcome.error().message().find("would delete them") != std::string::npos);
    }
    CHECK(the.net->seen.empty());
}

TEST_CASE("client: a failure in protobuf is understood", "[client][forms]")
{
    world the;
    const std::string status = enveloped("v1", "Status",
                                         field(1, list_meta("")) + field(2, "Failure") + field(3, "no such thing") +
                                             field(4, "NotFound") + field(6, 404));
    the.net->replies = {in_protobuf(status, 404), in_protobuf(status)};
    auto c = the.make();
    CHECK(the.run.run(c.get(config_map_kind, "ns", "a")).error() == cond::not_found);
    // A Status that reports a failure is one, whatever the code.
    CHECK(the.run.run(c.get(config_map_kind, "ns", "a")).error() == cond::not_found);
}
