// Tables: reading them, and asking for them.
#include "rest/table_core.hpp"
#include "rest_fixture.hpp"

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace kubecoro::rest_test;

namespace {

const std::string config_maps =
    R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"463","continue":"next",)"
    R"("remainingItemCount":4},"columnDefinitions":[{"name":"Name","type":"string","format":"name","description":"N",)"
    R"("priority":0},{"name":"Data","type":"integer","format":"","description":"","priority":1}],)"
    R"("rows":[{"cells":["seed0",1],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",)"
    R"("metadata":{"name":"seed0","namespace":"web","uid":"u1","labels":{"app":"web"}}}},)"
    R"({"cells":["seed1",null,"more",7],"object":null},{"cells":[["a",1.50]]},{}]})";

} // namespace

TEST_CASE("tables: columns, cells, objects and where the next page begins", "[client][table]")
{
    const auto t = read_table(config_maps, {}).value();
    REQUIRE(t.columns.size() == 2);
    CHECK(t.columns[0] == table::column{"Name", "string", "name", "N", 0});
    CHECK(t.columns[1] == table::column{"Data", "integer", "", "", 1});
    CHECK(t.resource_version == "463");
    CHECK(t.continue_token == "next");
    CHECK(t.remaining == 4);
    REQUIRE(t.rows.size() == 4);
    CHECK(t.rows[0].cells == std::vector<std::string>{"seed0", "1"});
    CHECK(t.rows[0].shown.key() == object_key_view{"web", "seed0"});
    CHECK(t.rows[0].shown.labels()["app"].as_string() == "web");
    // A row has as many cells as the table has columns, whatever the server sent.
    CHECK(t.rows[1].cells == std::vector<std::string>{"seed1", ""});
    CHECK_FALSE(t.rows[1].shown);
    CHECK(t.rows[2].cells == std::vector<std::string>{"[\"a\",1.50]", ""});
    CHECK(t.rows[3].cells == std::vector<std::string>{"", ""});
}

TEST_CASE("tables: servers without them send objects and lists", "[client][table]")
{
    const auto list = read_table(list_of("a", "7", "next"), {}).value();
    REQUIRE(list.columns.size() == 2);
    CHECK(list.columns[0].name == "Name");
    REQUIRE(list.rows.size() == 1);
    CHECK(list.rows[0].cells == std::vector<std::string>{"a", ""});
    CHECK(list.rows[0].shown.name() == "a");
    CHECK(list.resource_version == "7");
    CHECK(list.continue_token == "next");
    const auto one = read_table(R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"3",)"
                                R"("creationTimestamp":"2026-11-21T06:09:05Z"}})",
                                {})
                         .value();
    CHECK(one.rows.at(0).cells == std::vector<std::string>{"a", "2026-11-21T06:09:05Z"});
    CHECK(one.resource_version == "3");
}

TEST_CASE("tables: a list without items is an empty table, and a failure stays one", "[client][table]")
{
    const auto none =
        read_table(R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":null})", {});
    REQUIRE(none);
    CHECK(none->rows.empty());
    CHECK(none->columns.size() == 2);
    CHECK(none->resource_version == "7");
    const auto refused = read_table(
        R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"not you","code":403})",
        {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == cond::forbidden);
    CHECK(refused.error().status()->message == "not you");
}

TEST_CASE("tables: anything else is corrupt", "[client][table]")
{
    const std::string deep = R"({"kind":"Table","rows":[{"cells":[]])";
    for (const std::string& body : {std::string("[]"), std::string("{}"), deep, std::string(R"({"kind":"Table")"),
                                    std::string(R"({"kind":"Status","status":"Success"})")}) {
        INFO(body);
        const auto t = read_table(body, {});
        REQUIRE_FALSE(t);
        CHECK(t.error() == cond::corrupt);
    }
    // A table may be longer than an object; a row's object may not.
    decode_options small;
    small.limits.max_object_bytes = 200;
    CHECK(read_table(R"({"kind":"Table","rows":[],"x":")" + std::string(300, 'x') + "\"}", small));
    const std::string long_row =
        R"({"kind":"Table","rows":[{"object":{"kind":"A","metadata":{"name":")" + std::string(300, 'x') + "\"}}}]}";
    CHECK(read_table(long_row, small).error() == cond::corrupt);
}

TEST_CASE("client: tables of one object and of a list", "[client][table]")
{
    world the;
    auto c = the.make();
    the.net->replies = {
        {.body = {config_maps}}, {.body = {config_maps}}, {.body = {"[]"}}, {.status = 403, .body = {"no"}}};
    list_options o{.limit = 500};
    CHECK(the.run.run(list_table(c, pods, "web", o)).value().rows.size() == 4);
    CHECK(the.net->seen[0].target == "/api/v1/namespaces/web/pods?limit=500");
    CHECK(the.net->seen[0].accept.starts_with("application/json;as=Table;g=meta.k8s.io;v=v1,"));
    CHECK(the.run.run(get_table(c, pods, "web", "p", table_object::whole)).value().rows.size() == 4);
    CHECK(the.net->seen[1].target == "/api/v1/namespaces/web/pods/p?includeObject=Object");
    const auto corrupt = the.run.run(list_table(c, pods, ""));
    CHECK(corrupt.error() == cond::corrupt);
    CHECK(corrupt.error().target() == "/api/v1/pods");
    CHECK(the.run.run(list_table(c, pods, "")).error() == cond::forbidden);
    CHECK(the.run.run(get_table(c, pods, "web", "")).error() == cond::invalid);
    CHECK(the.net->seen.size() == 4);
}

namespace {

std::string one_row(const std::string& columns, const std::string& name, const std::string& version)
{
    return R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":")" + version +
           R"("},"columnDefinitions":)" + columns + R"(,"rows":[{"cells":[")" + name +
           R"(",1],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":")" +
           name + R"(","resourceVersion":")" + version + "\"}}}]}";
}

std::string event(const std::string& type, const std::string& o)
{
    return R"({"type":")" + type + R"(","object":)" + o + "}\n";
}

const std::string two_columns = R"([{"name":"Name","type":"string","format":"name"},{"name":"Data","type":"integer"}])";

} // namespace

TEST_CASE("client: a table is watched, with the columns of its first event", "[client][table]")
{
    world the;
    auto c = the.make();
    const std::string refusal = R"({"kind":"Status","status":"Failure","reason":"Expired","message":"old","code":410})";
    the.net->replies = {
        {.body = {event("ADDED", one_row(two_columns, "a", "3")) + event("MODIFIED", one_row("null", "a", "4")) +
                      event("BOOKMARK", one_row("null", "", "9")),
                  event("DELETED", one_row("null", "a", "11")) + event("ERROR", refusal)}}};
    watch_options o{.field_selector = "metadata.name=a", .resource_version = "2"};
    const auto watch = the.run.run(watch_table(c, pods, "web", o)).value();
    CHECK(the.net->seen[0].target ==
          "/api/v1/namespaces/web/pods?allowWatchBookmarks=true&fieldSelector=metadata.name%3Da&"
          "resourceVersion=2&watch=true");
    CHECK(the.net->seen[0].accept.starts_with("application/json;as=Table;g=meta.k8s.io;v=v1,"));
    CHECK(watch->columns().empty());
    const auto first = the.run.run(watch->next()).value();
    REQUIRE(first.size() == 3);
    CHECK(watch->columns().size() == 2);
    CHECK(first[0].type == watch_event_type::added);
    CHECK(first[1].row.cells == std::vector<std::string>{"a", "1"});
    CHECK(first[1].resource_version == "4");
    CHECK(first[1].row.shown.name() == "a");
    CHECK(first[2].type == watch_event_type::bookmark);
    CHECK(first[2].resource_version == "9");
    CHECK_FALSE(first[2].row.shown);
    const auto second = the.run.run(watch->next()).value();
    REQUIRE(second.size() == 1);
    CHECK(second[0].type == watch_event_type::deleted);
    CHECK(the.run.run(watch->next()).error() == cond::expired);
    CHECK(the.run.run(watch->next()).error() == cond::expired);
}

TEST_CASE("client: a server without tables watches objects", "[client][table]")
{
    world the;
    const std::string pod =
        R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"3","creationTimestamp":"2026-11-21T06:09:05Z"}})";
    the.net->replies = {{.body = {event("ADDED", pod)}}};
    const auto watch = the.run.run(watch_table(the.make(), pods, "", watch_options(), table_object::whole)).value();
    CHECK(the.net->seen[0].target == "/api/v1/pods?allowWatchBookmarks=true&includeObject=Object&watch=true");
    const auto events = the.run.run(watch->next()).value();
    REQUIRE(events.size() == 1);
    CHECK(watch->columns().size() == 2);
    CHECK(events[0].row.cells == std::vector<std::string>{"a", "2026-11-21T06:09:05Z"});
    CHECK(events[0].resource_version == "3");
    const auto end = the.run.run(watch->next());
    REQUIRE(end);
    CHECK(end->empty());
}
