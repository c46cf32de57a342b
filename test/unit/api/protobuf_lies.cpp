// Protobuf that no server should send: each lie fails with its reason, and is not taken for something else.
#include "fixtures.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/decoders.hpp>
#include <kubecoro/test/allocations.hpp>
#include <kubecoro/test/protobuf_bytes.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string magic("k8s\0", 4);
const std::string map_message = config_map("web", "a", "1");
const std::string whole_map = enveloped("v1", "ConfigMap", map_message);
const std::string map_type = field(1, field(1, "v1") + field(2, "ConfigMap"));
const std::string list_type = field(1, field(1, "v1") + field(2, "ConfigMapList"));
const std::string empty_tail = field(3, std::string_view()) + field(4, std::string_view());

result<object> decoded(std::string_view bytes, const std::shared_ptr<detail::object_encoding>& encoding = {})
{
    return decode_object(bytes, {}, encoding, wire_form::protobuf);
}

/// Returns why the bytes are no object, or "none".
std::string object_problem(std::string_view bytes)
{
    const auto got = decoded(bytes);
    if (!got) CHECK(got.error() == cond::corrupt);
    return got ? "none" : got.error().message();
}

std::string message_problem(std::string_view api_version, std::string_view kind, std::string_view message)
{
    return object_problem(enveloped(api_version, kind, message));
}

result<list_page> list_of(std::string_view bytes)
{
    detail::list_decoder decoder({}, {}, {}, wire_form::protobuf);
    for (std::size_t at = 0; at < bytes.size(); at += 3)
        if (auto fed = decoder.feed(bytes.substr(at, 3)); !fed) return fed.error();
    return decoder.finish();
}

std::string list_problem(std::string_view bytes, cond condition = cond::corrupt)
{
    const auto page = list_of(bytes);
    if (!page) CHECK(page.error() == condition);
    return page ? "none" : page.error().message();
}

/// A list of config maps with this message.
std::string listed(std::string_view list) { return magic + list_type + field(2, list) + empty_tail; }

std::string in_frame(const std::string& event)
{
    std::string out;
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(event.size() >> shift & 0xff);
    return out + event;
}

/// Returns why a watch fails after a good event, or "none". The good event must arrive, and nothing after the failure.
std::string watch_problem(const std::string& bytes, const decode_options& options = {}, cond condition = cond::corrupt)
{
    const std::string good = framed("ADDED", whole_map);
    detail::watch_decoder decoder(options, {}, {}, wire_form::protobuf);
    std::vector<watch_event> events;
    auto outcome = decoder.feed(good + bytes, events);
    if (outcome) outcome = decoder.finish();
    CHECK(events.size() == 1);
    if (outcome) return "none";
    CHECK(outcome.error() == condition);
    CHECK_FALSE(decoder.feed(good, events));
    CHECK(events.size() == 1);
    return outcome.error().message();
}

std::string map_with(std::string_view metadata_field)
{
    return field(1, field(1, "a") + field(3, "web") + std::string(metadata_field));
}

std::string crd_with(const std::string& schema_field)
{
    return field(1, object_meta("", "a")) + field(2, field(7, field(1, "v1") + field(4, field(1, schema_field))));
}
const std::string crds = "apiextensions.k8s.io/v1";

} // namespace

TEST_CASE("protobuf lies: values of the wrong wire type fail inside of short messages", "[protobuf]")
{
    const auto other_type = Catch::Contains("another type than its schema");
    const auto quota = [](const std::string& amount) {
        return message_problem("v1", "ResourceQuota", field(2, field(1, field(1, "cpu") + field(2, amount))));
    };
    CHECK(quota(field(1, "5")) == "none");
    CHECK_THAT(quota(field(1, 5)), other_type);
    const auto created = [](const std::string& time) {
        return message_problem("v1", "ConfigMap", map_with(field(8, time)));
    };
    CHECK(created(field(1, 5) + field(2, 0)) == "none");
    CHECK_THAT(created(field(1, "x")), other_type);
    CHECK_THAT(created(field(2, 7) + field(1, 5)), Catch::Contains("out of order"));
    CHECK_THAT(created(field(1, 5) + field(1, 6)), Catch::Contains("out of order"));
    const auto port = [](const std::string& target) {
        return message_problem("v1", "Service", field(2, field(1, field(4, target))));
    };
    CHECK(port(field(1, 1) + field(2, 0) + field(3, "http")) == "none");
    CHECK_THAT(port(field(1, 1) + field(3, 7)), other_type);
    CHECK_THAT(port(field(1, "int")), other_type);
    CHECK_THAT(message_problem("v1", "ConfigMap", map_with(field(17, field(7, field(1, 1))))), other_type);
    const auto entry = [](const std::string& content) {
        return message_problem("v1", "ConfigMap", field(1, object_meta("web", "a")) + field(2, content));
    };
    CHECK_THAT(entry(field(1, 1) + field(2, "v")), other_type);
    CHECK_THAT(entry(field(1, "k") + field(2, "v") + field(2, "w")), Catch::Contains("out of order"));
}

TEST_CASE("protobuf lies: schemas with a choice have one of each, in order", "[protobuf]")
{
    const auto why = [](const std::string& schema_field) {
        return message_problem(crds, "CustomResourceDefinition", crd_with(schema_field));
    };
    const std::string text = field(5, "string");
    CHECK(why(field(24, field(1, text))) == "none");
    CHECK(why(field(24, field(2, text) + field(2, text))) == "none");
    CHECK_THAT(why(field(24, field(2, text) + field(1, text) + field(2, text))), Catch::Contains("out of order"));
    CHECK_THAT(why(field(24, field(1, text) + field(1, text))), Catch::Contains("out of order"));
    CHECK_THAT(why(field(24, field(1, 5))), Catch::Contains("another type"));
    CHECK(why(field(30, field(1, 1) + field(2, text))) == "none");
    CHECK_THAT(why(field(30, field(1, "yes"))), Catch::Contains("another type"));
    CHECK_THAT(why(field(30, field(2, text) + field(1, 1))), Catch::Contains("out of order"));
}

TEST_CASE("protobuf lies: unknown fields of short messages are noticed in every object", "[protobuf]")
{
    const auto encoding = detail::make_object_encoding();
    const std::string unknown = field(9, "new") + field(9, "again");
    const std::string text = field(5, "string");
    for (int i = 0; i < 20; ++i) {
        INFO("object " << i);
        const auto quota = decoded(
            enveloped("v1", "ResourceQuota", field(2, field(1, field(1, "cpu") + field(2, field(1, "5") + unknown)))),
            encoding);
        REQUIRE(quota);
        CHECK(quota->is_partial());
        CHECK((*quota)["spec"]["hard"]["cpu"].as_string() == "5");
        const auto crd = decoded(
            enveloped(crds, "CustomResourceDefinition", crd_with(field(24, field(1, text) + unknown))), encoding);
        REQUIRE(crd);
        CHECK(crd->is_partial());
    }
}

TEST_CASE("protobuf lies: times of less than a microsecond are cut before the zero time is recognised", "[protobuf]")
{
    const auto renewed = [](std::int64_t seconds, std::int64_t nanos) {
        const std::string time =
            field(1, static_cast<std::uint64_t>(seconds)) + field(2, static_cast<std::uint64_t>(nanos));
        const auto got = decoded(enveloped("coordination.k8s.io/v1", "Lease", field(2, field(4, time))));
        REQUIRE(got);
        return (*got)["spec"]["renewTime"].to_text();
    };
    constexpr std::int64_t year_1 = -62135596800;
    CHECK(renewed(year_1, 999) == "null");
    CHECK(renewed(year_1, 1000) == R"("0001-01-01T00:00:00.000001Z")");
    // Go cuts towards zero, then carries.
    CHECK(renewed(10, -1500) == R"("1970-01-01T00:00:09.999999Z")");
}

TEST_CASE("protobuf lies: the last of repeated keys of a map counts", "[protobuf]")
{
    const auto got = decoded(enveloped("v1", "ConfigMap",
                                       map_message + field(2, field(1, "key") + field(2, "2")) +
                                           field(2, field(1, "other") + field(2, "3"))));
    REQUIRE(got);
    CHECK((*got)["data"]["key"].as_string() == "2");
    CHECK(got->to_json().at("data").as_object().size() == 2);
}

TEST_CASE("protobuf lies: the envelope says what is in it, once", "[protobuf]")
{
    const std::string content = field(2, map_message);
    const std::string protobuf = "application/vnd.kubernetes.protobuf";
    CHECK(object_problem(magic + map_type + content + field(3, "") + field(4, protobuf)) == "none");
    CHECK_THAT(object_problem(magic + map_type + content + field(3, "gzip")), Catch::Contains("encoded as gzip"));
    CHECK_THAT(object_problem(magic + map_type + content + field(4, "application/json")),
               Catch::Contains("application/json and not protobuf"));
    for (const auto& damaged :
         {map_type + map_type + content, map_type + content + content, content + map_type, map_type + field(2, 7),
          field(1, 7) + content, field(1, field(2, "ConfigMap") + field(1, "v1")) + content, map_type})
        CHECK(object_problem(magic + damaged) == "damaged protobuf");
    CHECK_THAT(object_problem("K8s" + whole_map.substr(3)), Catch::Contains("got something else"));
    CHECK_THAT(object_problem(R"({"kind":"ConfigMap","apiVersion":"v1"})"), Catch::Contains("got something else"));
    CHECK_THAT(object_problem(enveloped("v2", "ConfigMap", map_message)), Catch::Contains("v2 ConfigMap"));
}

TEST_CASE("protobuf lies: a list has its parts once and in order", "[protobuf]")
{
    const std::string meta = field(1, list_meta("7"));
    const std::string item = field(2, map_message);
    CHECK(list_problem(listed(meta + item + item)) == "none");
    const auto disorder = Catch::Contains("out of order");
    CHECK_THAT(list_problem(listed(item + meta)), disorder);
    CHECK_THAT(list_problem(listed(meta + meta + item)), disorder);
    CHECK_THAT(list_problem(magic + list_type + list_type + field(2, meta)), disorder);
    CHECK_THAT(list_problem(magic + list_type + field(2, meta) + list_type), disorder);
    CHECK_THAT(list_problem(magic + list_type + field(2, meta) + field(2, meta)), disorder);
    CHECK_THAT(list_problem(listed(field(1, 7) + item)), Catch::Contains("damaged"));
    CHECK_THAT(list_problem(listed(meta + field(2, 7))), Catch::Contains("damaged"));
    CHECK_THAT(list_problem(listed(field(1, field(2, 7)))), Catch::Contains("of another type"));
    CHECK_THAT(list_problem(listed(field(1, field(2, "7") + field(4, "many")))), Catch::Contains("of another type"));
    CHECK_THAT(list_problem(listed(field(1, field(2, "7") + field(2, "8")))), disorder);
    CHECK(list_of(listed(meta + item + field(9, 1) + field(9, "new"))));
    CHECK(list_of(magic + list_type + field(2, meta) + empty_tail + field(9, "new") + field(9, 5)));
}

TEST_CASE("protobuf lies: a list says its form and kind", "[protobuf]")
{
    const std::string list = field(2, field(1, list_meta("7")));
    CHECK_THAT(list_problem(magic + list_type + list + field(3, "gzip") + field(4, "")),
               Catch::Contains("encoded as gzip after byte"));
    CHECK_THAT(list_problem(magic + list_type + list + field(3, "") + field(4, "application/json")),
               Catch::Contains("application/json and not protobuf"));
    CHECK_THAT(list_problem(whole_map), Catch::Contains("expected a list, got kind ConfigMap of v1"));
    CHECK_THAT(list_problem(magic + field(1, field(1, "v2") + field(2, "ConfigMapList")) + list),
               Catch::Contains("got kind ConfigMapList of v2"));
    const auto shown = list_problem(magic + field(1, field(1, "v1") + field(2, "\x1b[2J" + std::string(9000, 'x'))));
    CHECK(shown.find('\x1b') == std::string::npos);
    CHECK(shown.size() < 400);
}

TEST_CASE("protobuf lies: the texts of a list are UTF-8", "[protobuf]")
{
    const auto page = list_of(
        listed(field(1, field(2, "7\xff") + field(3, "c\xff") + field(5, field(1, "s\xff"))) + field(2, map_message)));
    REQUIRE(page);
    CHECK(page->resource_version == "7\ufffd");
    CHECK(page->continue_token == "c\ufffd");
    CHECK(page->shard_selector == "s\ufffd");
}

TEST_CASE("protobuf lies: another document in a watch is noticed at its fifth byte", "[protobuf]")
{
    const std::string json = R"({"type":"ADDED","object":{}})";
    CHECK_THAT(watch_problem(json.substr(0, 5)), Catch::Contains("expected an event in protobuf, got something else"));
    CHECK_THAT(watch_problem("HTTP/1.1 400"), Catch::Contains("got something else"));
    CHECK_THAT(watch_problem(whole_map), Catch::Contains("got something else"));
    CHECK_THAT(watch_problem(whole_map.substr(0, 4)), Catch::Contains("got something else"));
}

TEST_CASE("protobuf lies: a watch that is cut anywhere in a frame can be resumed", "[protobuf]")
{
    const std::string frame = framed("MODIFIED", whole_map);
    for (std::size_t n = 1; n < frame.size(); ++n)
        CHECK_THAT(watch_problem(frame.substr(0, n), {}, cond::unreachable),
                   Catch::Contains("the stream ends in the frame at byte"));
    // Also where the frame is passed over, and where it only looks like the beginning of one.
    CHECK_THAT(watch_problem(R"({"ty)", {}, cond::unreachable), Catch::Contains("the stream ends"));
}

TEST_CASE("protobuf lies: a list that is cut anywhere is a broken transfer, and nothing at all is no list",
          "[protobuf]")
{
    const std::string whole = listed(field(1, list_meta("7")) + field(2, map_message));
    REQUIRE(list_problem(whole) == "none");
    const std::size_t tail = empty_tail.size();
    for (std::size_t n = 1; n < whole.size() - tail; ++n) {
        // A head without a list is one that the server could have sent.
        if (n == magic.size() || n == magic.size() + list_type.size()) continue;
        CHECK_THAT(list_problem(whole.substr(0, n), cond::unreachable), Catch::Contains("unexpected end"));
    }
    CHECK_THAT(list_problem(""), Catch::Contains("unexpected end"));
    CHECK_THAT(list_problem(magic), Catch::Contains("no list"));
    CHECK_THAT(list_problem(magic + list_type), Catch::Contains("no list"));
}

TEST_CASE("protobuf lies: a Status in place of a list keeps the server's words", "[protobuf]")
{
    const std::string body = field(1, list_meta("")) + field(2, "Failure") + field(3, "no such thing") +
                             field(4, "NotFound") + field(6, 404);
    const auto page = list_of(enveloped("v1", "Status", body));
    REQUIRE_FALSE(page);
    CHECK(page.error() == cond::not_found);
    REQUIRE(page.error().status());
    CHECK(page.error().status()->message == "no such thing");
    CHECK_THAT(list_problem(enveloped("v1", "Status", field(2, "Success"))),
               Catch::Contains("expected a list, got kind Status"));
}

TEST_CASE("protobuf lies: a frame has one type and one object, in order", "[protobuf]")
{
    const std::string type = field(1, "MODIFIED");
    const std::string change = field(2, field(1, whole_map));
    CHECK_THAT(watch_problem(in_frame(type + change + change)), Catch::Contains("damaged"));
    CHECK_THAT(watch_problem(in_frame(type + type + change)), Catch::Contains("damaged"));
    CHECK_THAT(watch_problem(in_frame(change + type)), Catch::Contains("got something else"));
    CHECK_THAT(watch_problem(in_frame(type + field(2, field(1, whole_map) + field(1, whole_map)))),
               Catch::Contains("damaged"));
    CHECK_THAT(watch_problem(in_frame(type + field(2, 7))), Catch::Contains("damaged"));
    CHECK_THAT(watch_problem(in_frame(type)), Catch::Contains("MODIFIED event without an object"));
    CHECK_THAT(watch_problem(in_frame("")), Catch::Contains("event without a type"));
    CHECK_THAT(watch_problem(in_frame(type + "\x12" + std::string(9, '\xff') + "\x01")), Catch::Contains("damaged"));
    CHECK_THAT(watch_problem(framed("MODIFIED", "K8s" + whole_map.substr(3))),
               Catch::Contains("MODIFIED event: expected an object in protobuf, got something else"));
    CHECK_THAT(watch_problem(framed("MODIFIED", magic + map_type + field(2, map_message) + field(3, "gzip"))),
               Catch::Contains("MODIFIED event: the content of the envelope is encoded as gzip"));
    const auto shown = watch_problem(in_frame(field(1, "\x1b[2J" + std::string(9000, 'x'))));
    CHECK(shown.find('\x1b') == std::string::npos);
    CHECK(shown.size() < 300);
}

TEST_CASE("protobuf lies: lengths of frames that are false do not hide what follows", "[protobuf]")
{
    const std::string frame = framed("MODIFIED", whole_map);
    const auto with_length = [&frame](std::uint32_t length) {
        std::string out;
        for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(length >> shift & 0xff);
        return out + frame.substr(4);
    };
    const auto size = static_cast<std::uint32_t>(frame.size() - 4);
    CHECK_THAT(watch_problem(with_length(0)), Catch::Contains("event without a type"));
    CHECK_THAT(watch_problem(with_length(size - 1)), Catch::Contains("damaged"));
    CHECK_THAT(watch_problem(with_length(size + 9) + frame), Catch::Contains("damaged"));
    CHECK_THAT(watch_problem(with_length(0xffffffff), {}, cond::unreachable), Catch::Contains("the stream ends"));
    // Far too long for one object: the events in it are not taken for an object that is too large.
    decode_options small;
    small.limits.max_object_bytes = 1000;
    std::string many = with_length(0x7fffffff);
    while (many.size() < 100'000) many += frame;
    CHECK_THAT(watch_problem(many, small), Catch::Contains("damaged"));
}

TEST_CASE("protobuf lies: the type of an unknown event is printable", "[protobuf]")
{
    detail::watch_decoder decoder({}, {}, {}, wire_form::protobuf);
    std::vector<watch_event> events;
    REQUIRE(decoder.feed(framed("\xff\x1b[2J", enveloped("v1", "Lie", "\xff")), events));
    REQUIRE(events.size() == 1);
    CHECK(events[0].type == watch_event_type::unknown);
    CHECK(events[0].unknown_type == "  [2J");
    CHECK_FALSE(events[0].obj);
}

TEST_CASE("protobuf lies: lengths reserve no memory, and objects that are passed over are not kept", "[protobuf]")
{
    decode_options small;
    small.limits.max_object_bytes = 1000;
    constexpr std::uint64_t two_gb = 0x7fffffff;
    const std::string more(4096, 'x');
    const auto allocated_by = [&more](auto&& feed, const std::string& begin) {
        const auto before = allocations_so_far().bytes;
        REQUIRE(feed(begin));
        for (int i = 0; i < 5000; ++i) REQUIRE(feed(more));
        return allocations_so_far().bytes - before;
    };
    const std::string big = field(1, object_meta("web", "big")) + "\x12" + varint(two_gb - 1000);

    detail::list_decoder list(small, {}, {}, wire_form::protobuf);
    const auto feed_list = [&list](const std::string& bytes) { return list.feed(bytes); };
    const std::string list_begin =
        magic + list_type + "\x12" + varint(two_gb + 100) + field(1, list_meta("7")) + "\x12" + varint(two_gb) + big;
    CHECK(allocated_by(feed_list, list_begin) < 1'000'000);

    detail::watch_decoder watch(small, {}, {}, wire_form::protobuf);
    std::vector<watch_event> events;
    const auto feed_watch = [&](const std::string& bytes) { return watch.feed(bytes, events); };
    const std::string object = magic + map_type + "\x12" + varint(two_gb - 300) + big;
    const std::string watch_begin = std::string("\x7f\xff\xff\xff") + field(1, "ADDED") + "\x12" +
                                    varint(two_gb - 100) + "\x0a" + varint(two_gb - 200) + object;
    CHECK(allocated_by(feed_watch, watch_begin) < 1'000'000);
    REQUIRE(events.size() == 1);
    REQUIRE(events[0].left_out);
    CHECK(events[0].left_out->key == object_key{"web", "big"});

    CHECK_THAT(list_problem(magic + list_type + field(2, field(1, list_meta("7"))) + "\x1a" + varint(two_gb)),
               Catch::Contains("too long"));
}
