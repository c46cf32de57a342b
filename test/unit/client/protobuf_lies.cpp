// Answers in protobuf that no server should send: each fails with its reason and its request, and changes nothing.
#include "rest_fixture.hpp"

#include <kubecoro/test/protobuf_bytes.hpp>

using namespace kubecoro;
using namespace kubecoro::rest_test;
using namespace kubecoro::test;

namespace {

const std::string protobuf = "application/vnd.kubernetes.protobuf";
const std::string json = "application/json";
const auto maps = untyped::config_map::resource();
const std::string whole_map = enveloped("v1", "ConfigMap", config_map("ns", "a", "1"));
const std::string whole_list = config_maps({config_map("ns", "a", "1"), config_map("ns", "b", "2")});
const std::string json_list =
    R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[]})";

std::string status(int code)
{
    return enveloped("v1", "Status",
                     field(1, list_meta("")) + field(2, "Failure") + field(3, "no such thing") + field(6, code));
}

/// A body, its Content-Type, and words of the failure.
struct lie
{
    std::string body;
    std::string type;
    std::string problem;
    cond condition = cond::corrupt;
};

void check(const failure& f, const lie& told)
{
    INFO(f.describe());
    CHECK(f == told.condition);
    CHECK_THAT(f.describe(), Catch::Contains(told.problem));
    CHECK(f.method() == "GET");
    CHECK(f.target().find("/api/v1/namespaces/ns/configmaps") == 0);
}

reply answer_with(const lie& told)
{
    return {.body = {told.body.substr(0, 5), told.body.substr(std::min<std::size_t>(5, told.body.size()))},
            .headers = {{"content-type", told.type}}};
}

} // namespace

TEST_CASE("client: lists that are lies are refused", "[client][forms]")
{
    const std::vector<lie> lies{
        {whole_list.substr(0, 60), protobuf, "unexpected end", cond::unreachable},
        {whole_list, json, "malformed JSON"},
        {json_list, protobuf, "expected a list in protobuf, got something else"},
        {"K" + whole_list.substr(1), protobuf, "expected a list in protobuf"},
        {enveloped("v1", "SecretList", field(1, list_meta("7"))), protobuf,
         "the response is v1 SecretList and not v1 ConfigMapList"},
        {enveloped("v2", "ConfigMapList", field(1, list_meta("7"))), protobuf, "got kind ConfigMapList of v2"},
        {whole_map, protobuf, "expected a list, got kind ConfigMap"},
        {status(410), protobuf, "no such thing", cond::expired},
        {R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"no room","code":429})", json, "no room",
         cond::retry_later},
        {R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7"}})", json, "has no items"},
        {json_list.substr(0, 60), json, "unexpected end", cond::unreachable},
        {"", json, "unexpected end"},
        {whole_list + whole_list, protobuf, "damaged"},
        {enveloped("v1", "ConfigMapList", field(1, list_meta("7")) + field(2, field(2, "no entry"))), protobuf,
         "damaged"},
        {"", protobuf, "unexpected end"}};
    for (const auto& told : lies) {
        world the;
        the.net->replies = {answer_with(told)};
        const auto page = the.run.run(the.make().list(maps, "ns"));
        REQUIRE_FALSE(page);
        check(page.error(), told);
    }
}

TEST_CASE("client: a list in protobuf without a version cannot begin a watch", "[client][forms]")
{
    const lie told{enveloped("v1", "ConfigMapList", field(1, field(1, std::string_view()))), protobuf,
                   "no resourceVersion"};
    world the;
    the.net->replies = {answer_with(told)};
    source_scope scope;
    scope.ns = "ns";
    auto source = the.make().provider()->open(maps, scope);
    const auto page = the.run.run(source->list(list_options()));
    REQUIRE_FALSE(page);
    check(page.error(), told);
}

TEST_CASE("client: objects that are lies are refused", "[client][forms]")
{
    const std::vector<lie> lies{{whole_map.substr(0, 30), protobuf, "damaged"},
                                {whole_map, json, "malformed JSON"},
                                {R"({"kind":"ConfigMap","apiVersion":"v1"})", protobuf, "got something else"},
                                {enveloped("v1", "Lie", ""), protobuf, "without a schema: v1 Lie"},
                                {"", protobuf, "got something else"}};
    for (const auto& told : lies) {
        world the;
        the.net->replies = {answer_with(told)};
        const auto got = the.run.run(the.make().get(maps, "ns", "a"));
        REQUIRE_FALSE(got);
        check(got.error(), told);
    }
}

TEST_CASE("client: a Status in place of an object is its failure", "[client][forms]")
{
    world the;
    the.net->replies = {answer_with({status(404), protobuf, ""})};
    const auto got = the.run.run(the.make().get(maps, "ns", "a"));
    REQUIRE_FALSE(got);
    CHECK(got.error() == cond::not_found);
    CHECK_THAT(got.error().describe(), Catch::Contains("no such thing"));
}

TEST_CASE("client: a watch delivers the events before a lie, and nothing after it", "[client][forms]")
{
    const std::string good = framed("ADDED", whole_map);
    const std::vector<lie> lies{
        {good.substr(0, 20), protobuf, "the stream ends in the frame at byte " + std::to_string(good.size()),
         cond::unreachable},
        {R"({"type":"ADDED","object":{}})", protobuf, "expected an event in protobuf, got something else"},
        {framed("MODIFIED", enveloped("v1", "Lie", "")), protobuf, "without a schema: v1 Lie"},
        {framed("MODIFIED", ""), protobuf, "MODIFIED event without an object"},
        {framed("", whole_map), protobuf, "event without a type"}};
    for (const auto& told : lies) {
        world the;
        const std::string body = good + told.body + good;
        the.net->replies = {{.body = {told.problem.starts_with("the stream") ? good + told.body : body},
                             .headers = {{"content-type", told.type}}}};
        auto watch = the.run.run(the.make().watch(maps, "ns"));
        REQUIRE(watch);
        const auto events = the.run.run((*watch)->next());
        REQUIRE(events);
        CHECK(events->size() == 1);
        for (int i = 0; i < 2; ++i) {
            const auto next = the.run.run((*watch)->next());
            REQUIRE_FALSE(next);
            check(next.error(), told);
        }
    }
}

TEST_CASE("client: a watch in protobuf that is called JSON fails", "[client][forms]")
{
    world the;
    the.net->replies = {answer_with({framed("ADDED", whole_map) + "\n", json, ""})};
    auto watch = the.run.run(the.make().watch(maps, "ns"));
    REQUIRE(watch);
    const auto events = the.run.run((*watch)->next());
    REQUIRE_FALSE(events);
    check(events.error(), {"", json, "malformed JSON"});
}
