// The form of events that the API admits.
#include "events/event_draft.hpp"

#include "events/event_body.hpp"

#include <kubecoro/test/catch.hpp>

#include <boost/json.hpp>

#include <string>

using namespace kubecoro;
using namespace kubecoro::detail;
namespace json = boost::json;

namespace {

event_target node()
{
    event_target t;
    t.api_version = "v1";
    t.kind = "Node";
    t.name = "n1";
    return t;
}

} // namespace

TEST_CASE("events: names are valid, whatever the object is called", "[controller][events]")
{
    CHECK(event_name("web-1.a", 0x18a) == "web-1.a.18a");
    CHECK(event_name(std::string(236, 'a'), UINT64_MAX) == std::string(236, 'a') + ".ffffffffffffffff");
    CHECK(event_name(std::string(237, 'a'), UINT64_MAX) == "event.ffffffffffffffff");
    for (const auto* bad :
         {"", "system:node", "Upper", "-a", "a-", "a..b", ".a", "a.", "a.-b", "a_b", "a b", "\xc3\xa4"})
        CHECK(event_name(bad, 1) == "event.1");
}

TEST_CASE("events: texts are cut at a character", "[controller][events]")
{
    CHECK(clean_text("short", 10) == "short");
    CHECK(clean_text("\xc3\xa4\xc3\xa4", 3) == "\xc3\xa4");
    CHECK(clean_text("\xf0\x9f\x98\x80", 3).empty());
    CHECK(clean_text("a\xff\xc3", 10) == "a??");
    CHECK(clean_text("\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80\xe0\x80\x80\xf0\x80\x80\x80", 40) == std::string(16, '?'));
    const auto d =
        make_draft(node(), event_type::normal, std::string(200, 'r'), "", std::string(1023, 'n') + "\xc3\xa4", {});
    REQUIRE(d);
    CHECK(d->reason == std::string(128, 'r'));
    CHECK(d->action == d->reason);
    CHECK(d->note == std::string(1023, 'n'));
    CHECK_FALSE(make_draft(node(), event_type::normal, "", "Do", "note", {}));
    CHECK_FALSE(make_draft({}, event_type::normal, "Done", "Do", "note", {}));
}

TEST_CASE("events: a reporter is a qualified name", "[controller][events]")
{
    CHECK(qualified_name("example.com/janitor") == "example.com/janitor");
    CHECK(qualified_name("my janitor!") == "my-janitor");
    CHECK(qualified_name("Bad_Prefix/x") == "x");
    CHECK(qualified_name("/x") == "x");
    CHECK(qualified_name("//") == "kubecoro");
    CHECK(qualified_name("") == "kubecoro");
    CHECK(qualified_name(std::string(100, 'x')).size() == 63);
    event_recorder_options o;
    o.component = "janitor";
    CHECK(make_reporter(o).instance.starts_with("janitor-"));
    o.instance = std::string(200, 'i');
    CHECK(make_reporter(o).instance.size() == 128);
}

TEST_CASE("events: the texts of a key cannot be shifted", "[controller][events]")
{
    event_target a = node();
    event_target b = node();
    a.ns = "x";
    a.name = "yz";
    b.ns = "xy";
    b.name = "z";
    CHECK(target_key(a) != target_key(b));
    b = a;
    b.resource_version = "17";
    CHECK(target_key(a) == target_key(b));
}

TEST_CASE("events: objects and patches of both APIs", "[controller][events]")
{
    event_series s;
    s.what = *make_draft(node(), event_type::warning, "Failed", "Mount", "no disk", node());
    s.ns = "default";
    s.name = "n1.1";
    s.first = wall_time(std::chrono::milliseconds(1500));
    s.last = wall_time(std::chrono::milliseconds(62500));
    const event_reporter by{.component = "example.com/janitor", .instance = "janitor-0"};
    CHECK(json::value(event_object(event_api::events_v1, by, s)) == json::parse(R"({
        "apiVersion":"events.k8s.io/v1","kind":"Event","metadata":{"name":"n1.1","namespace":"default"},
        "type":"Warning","reason":"Failed","action":"Mount","note":"no disk",
        "reportingController":"example.com/janitor","reportingInstance":"janitor-0",
        "eventTime":"1970-01-01T00:00:01.500000Z",
        "regarding":{"apiVersion":"v1","kind":"Node","name":"n1"},
        "related":{"apiVersion":"v1","kind":"Node","name":"n1"}})"));
    s.count = 3;
    CHECK(event_object(event_api::events_v1, by, s)["series"] ==
          json::parse(R"({"count":3,"lastObservedTime":"1970-01-01T00:01:02.500000Z"})"));
    CHECK(json::value(event_patch(event_api::events_v1, s)) ==
          json::parse(R"({"series":{"count":3,"lastObservedTime":"1970-01-01T00:01:02.500000Z"}})"));
    CHECK(json::value(event_object(event_api::core_v1, by, s)) == json::parse(R"({
        "apiVersion":"v1","kind":"Event","metadata":{"name":"n1.1","namespace":"default"},
        "type":"Warning","reason":"Failed","action":"Mount","message":"no disk","count":3,
        "source":{"component":"example.com/janitor","host":"janitor-0"},
        "reportingComponent":"example.com/janitor","reportingInstance":"janitor-0",
        "firstTimestamp":"1970-01-01T00:00:01Z","lastTimestamp":"1970-01-01T00:01:02Z",
        "involvedObject":{"apiVersion":"v1","kind":"Node","name":"n1"},
        "related":{"apiVersion":"v1","kind":"Node","name":"n1"}})"));
    CHECK(json::value(event_patch(event_api::core_v1, s)) ==
          json::parse(R"({"count":3,"lastTimestamp":"1970-01-01T00:01:02Z","message":"no disk"})"));
}
