// Tests of the parts of the replay server without sockets.
#include "chunks.hpp"
#include "data/data_set.hpp"
#include "envelope.hpp"
#include "http_request.hpp"
#include "image.hpp"
#include "protobuf_wire.hpp"
#include "test_objects.hpp"
#include "timeline.hpp"

#include <kubecoro/test/catch.hpp>

#include <boost/json.hpp>

#include <set>

using namespace kubecoro;
using namespace kubecoro::bench;
namespace json = boost::json;

TEST_CASE("a request's head is parsed")
{
    const auto r = parse_http_request(
        "GET /api/v1/pods?watch=1&labelSelector=a%3Db%20c&limit=500 HTTP/1.1\r\n"
        "Host: x\r\nAccept: Application/JSON\r\nACCEPT:  */* \r\nContent-Length: 12\r\nConnection: Close");
    REQUIRE(r);
    CHECK(r->method == "GET");
    CHECK(r->path == "/api/v1/pods");
    CHECK(r->flag("watch"));
    CHECK_FALSE(r->flag("allowWatchBookmarks"));
    CHECK(r->parameter("labelSelector") == "a=b c");
    CHECK(r->number("limit") == 500U);
    CHECK_FALSE(r->number("watchers"));
    CHECK(r->accept == "application/json,*/*");
    CHECK(r->content_length == 12);
    CHECK_FALSE(r->keep_alive);
}

TEST_CASE("an invalid request is refused")
{
    for (const char* text : {"", "GET", "GET / HTTP/1.0", "GET x HTTP/1.1", "GET /%4 HTTP/1.1", "GET /?a=%zz HTTP/1.1",
                             "GET / HTTP/1.1\r\nno colon", "GET / HTTP/1.1\r\nContent-Length: x",
                             "GET / HTTP/1.1\r\nTransfer-Encoding: chunked", "PRI * HTTP/2.0"})
        CHECK_FALSE(parse_http_request(text));
}

TEST_CASE("every object changes once before any changes again")
{
    timeline time(100, 5000, 1);
    for (int round = 0; round < 3; ++round) {
        std::set<std::uint32_t> seen;
        for (int i = 0; i < 100; ++i) seen.insert(time.next().object);
        CHECK(seen.size() == 100);
    }
    CHECK(time.version() == 5300);
    CHECK(time.next().version == 5301);
}

TEST_CASE("a client that was away receives each changed object once, in the order of versions")
{
    timeline time(10, 5000, 1);
    std::vector<timeline::event> all;
    for (int i = 0; i < 25; ++i) all.push_back(time.next());
    CHECK(time.since(5025).empty());
    CHECK(time.since(5022).size() == 3);
    const auto missed = time.since(5003);
    REQUIRE(missed.size() == 10);
    for (std::size_t i = 0; i < missed.size(); ++i) {
        CHECK(missed[i].version == 5016 + i);
        CHECK(missed[i].object == all[15 + i].object);
    }
    CHECK(time.since(1).size() == 10);
    CHECK(time.oldest() == 5000);
    time.expire();
    CHECK(time.oldest() == 5025);
}

TEST_CASE("a changed object has its other state and a new version, at its place in the list")
{
    for (const data_kind kind : {data_kind::small, data_kind::custom}) {
        const bool pods = kind == data_kind::small;
        data_set data({kind, 20, 1});
        image objects(pods ? image_format::json_pods : image_format::json_widgets, 20, 1000);
        for (std::uint32_t i = 0; i < 20; ++i)
            REQUIRE(objects.add(text_of(data, i), text_of(data, i, object_state::second)));
        const auto item = [&](std::uint32_t i) { return json::parse(std::string(objects.items(i, i + 1))); };
        CHECK(json::parse("[" + std::string(objects.items(0, 20)) + "]").as_array().size() == 20);
        CHECK(objects.items(7, 7).empty());

        objects.turn(7, 2'000'000'001);
        objects.stamp(7, 42);
        json::value expected = json::parse(text_of(data, 7, object_state::second));
        expected.at("metadata").at("resourceVersion") = "2000000001";
        expected.at("metadata").at("annotations").at("bench.example.com/stamp") = "0000000000000000042";
        if (pods) {
            expected.as_object().erase("kind");
            expected.as_object().erase("apiVersion");
        }
        CHECK(item(7) == expected);
        CHECK(item(8).at("metadata").at("annotations").at("bench.example.com/stamp") == "0000000000000000000");

        objects.turn(7, 2'000'000'002);
        CHECK(item(7).at("status") == json::parse(text_of(data, 7)).at("status"));
        const std::string event = (pods ? "{" + std::string(pod_identity) : "") + std::string(objects.event_object(7));
        CHECK(json::parse(event).at("metadata") == item(7).at("metadata"));
    }
}

TEST_CASE("objects without the expected fields are refused")
{
    image objects(image_format::json_pods, 1, 100);
    data_set data({data_kind::small, 1, 1});
    const std::string good = text_of(data, 0);
    CHECK_FALSE(objects.add("{}", ""));
    CHECK_FALSE(objects.add(good, good + " "));
    CHECK_FALSE(objects.add(R"({"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"1"}})", ""));
    CHECK(objects.size() == 0);
    image messages(image_format::protobuf_pods, 1, 100);
    CHECK_FALSE(messages.add("", ""));
    CHECK_FALSE(messages.add("\x0a\x7f", ""));
    CHECK(messages.add(pod_message("p", 1, "Running"), ""));
}

TEST_CASE("protobuf fields are written and read")
{
    std::string message;
    protobuf::append_number(message, 1, 300);
    protobuf::append_bytes(message, 2, "text");
    protobuf::append_number(message, 1000, ~std::uint64_t{0});
    message += std::string("\x1d\x01\x02\x03\x04", 5); // a fixed 32-bit field
    protobuf::append_bytes(message, 4, "");
    CHECK(message.substr(0, 3) == "\x08\xac\x02");
    protobuf::reader fields(message);
    CHECK(fields.next()->value == 300);
    CHECK(fields.next()->bytes == "text");
    CHECK(fields.next()->value == ~std::uint64_t{0});
    CHECK(fields.next()->number == 4);
    CHECK_FALSE(fields.next());
    CHECK_FALSE(fields.damaged());
    CHECK(protobuf::header_size(2, 4) == 2);
    CHECK(protobuf::header_size(1000, 300) == 4);
    for (std::size_t cut = 1; cut < message.size(); ++cut) {
        protobuf::reader part(std::string_view(message).substr(0, cut));
        while (part.next()) {
        }
    }
    CHECK(protobuf::find(std::string_view("\x12\x05xy", 4), 2).data() == nullptr);
}

TEST_CASE("lists and events are framed in protobuf like a server's")
{
    const auto around = make_protobuf_envelope();
    // "k8s\0", TypeMeta, PodList with its metadata; from a captured exchange, except for kind and sizes.
    const std::string head = around->list_head({463}, 1000);
    const std::string expected("k8s\0\x0a\x0d\x0a\x02v1\x12\x07PodList\x12\xf3\x07\x0a\x09\x0a\x00\x12\x03"
                               "463\x1a\x00",
                               33);
    CHECK(head == expected);
    CHECK(around->list_tail({463}) == std::string("\x1a\x00\x22\x00", 4));

    const std::string pod = pod_message("p", 1'000'000'001, "Running");
    std::string frame;
    around->append_event_head(frame, "ADDED", pod.size());
    frame += pod;
    frame += around->event_tail();
    const auto events = read_frames(frame);
    REQUIRE(events.size() == 1);
    CHECK(events[0].type == "ADDED");
    CHECK(events[0].kind == "Pod");
    CHECK(events[0].message == pod);
    const auto bookmarks = read_frames(around->bookmark(1'000'000'007, true));
    REQUIRE(bookmarks.size() == 1);
    const std::string_view metadata = protobuf::find(bookmarks[0].message, 1);
    CHECK(bookmarks[0].type == "BOOKMARK");
    CHECK(protobuf::find(metadata, 6) == "1000000007");
    CHECK(protobuf::find(protobuf::find(metadata, 12), 1) == "k8s.io/initial-events-end");
    const auto errors = read_frames(around->expired(5, 9));
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].kind == "Status");
    CHECK(protobuf::find(errors[0].message, 4) == "Expired");
}

TEST_CASE("bookmarks, errors and pages are JSON as a server writes it")
{
    for (const resource_kind kind : {resource_kind::pods, resource_kind::widgets}) {
        const auto around = make_json_envelope(kind);
        CHECK(json::parse(around->bookmark(7, true))
                  .at("object")
                  .at("metadata")
                  .at("annotations")
                  .at("k8s.io/initial-events-end") == "true");
        CHECK(json::parse(around->bookmark(7, false)).at("object").at("metadata").at("resourceVersion") == "7");
        CHECK(json::parse(around->expired(1, 2)).at("object").at("code") == 410);
        const list_position page{7, "7-2", 3};
        const json::value list = json::parse(around->list_head(page, 2) + "{}" + around->list_tail(page));
        CHECK(list.at("metadata").at("continue") == "7-2");
        CHECK(list.at("metadata").at("remainingItemCount") == 3);
        CHECK(list.at("items").as_array().size() == 1);
    }
    CHECK(make_json_envelope(resource_kind::pods)->list_head({336}, 0) ==
          R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"336"},"items":[)");
}
