// Writes JSON as protobuf and compares it with what Kubernetes' own serializers write and read.
#include "text/go_text.hpp"
#include "values/go_values.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/decoders.hpp>
#include <kubecoro/api/detail/protobuf_form.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/protobuf_samples.hpp>

#include <boost/json.hpp>

#include <limits>

using namespace kubecoro;
using namespace kubecoro::detail;
namespace json = boost::json;

namespace {

json::value parsed(std::string_view text)
{
    decode_options options;
    options.limits.max_depth = 400;
    const auto read = decode_object(text, options);
    REQUIRE(read.has_value());
    return read->root().to_json();
}

/// Drops members that are null: a pointer to the zero time is null in JSON, and so is no pointer.
void drop_nulls(json::value& v)
{
    if (auto* array = v.if_array())
        for (auto& item : *array) drop_nulls(item);
    auto* object = v.if_object();
    if (object == nullptr) return;
    json::object kept;
    for (auto& [name, member] : *object) {
        drop_nulls(member);
        if (!member.is_null()) kept.emplace(name, std::move(member));
    }
    *object = std::move(kept);
}

json::value without_nulls(const object& o)
{
    auto value = o.root().to_json();
    drop_nulls(value);
    return value;
}

std::string hex(std::string_view bytes)
{
    static constexpr char digits[] = "0123456789abcdef";
    std::string out;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        out += digits[byte >> 4];
        out += digits[byte & 15];
    }
    return out;
}

std::string message_hex(std::string_view api_version, std::string_view kind, std::string_view text)
{
    const auto* schema = builtin_schemas::find(api_version, kind);
    REQUIRE(schema != nullptr);
    const auto value = parsed(text);
    const auto message = protobuf_message(*schema, value.get_object());
    INFO((message ? "" : message.error().describe()));
    REQUIRE(message.has_value());
    return hex(*message);
}

std::string problem(std::string_view text)
{
    const auto made = to_protobuf(parsed(text));
    REQUIRE_FALSE(made.has_value());
    CHECK(made.error() == cond::invalid);
    return made.error().message();
}

} // namespace

TEST_CASE("protobuf writer: every sample reads back as its JSON", "[protobuf]")
{
    test::protobuf_samples samples;
    decode_options options;
    options.limits.max_depth = 400;
    std::size_t objects = 0;
    std::size_t identical = 0;
    while (const auto sample = samples.next()) {
        if (sample->name.starts_with("watch ")) continue;
        INFO(sample->name);
        const auto made = to_protobuf(parsed(sample->json));
        INFO((made ? "" : made.error().describe()));
        REQUIRE(made.has_value());
        const auto read = decode_object(*made, options, {}, wire_form::protobuf);
        INFO((read ? "" : read.error().describe()));
        REQUIRE(read.has_value());
        // Decoded as one object, an empty list of items is the same as none.
        const bool is_list = sample->name.starts_with("list ");
        const auto expected = is_list ? decode_object(sample->protobuf, options, {}, wire_form::protobuf)
                                      : decode_object(sample->json, options);
        REQUIRE(expected.has_value());
        CHECK((without_nulls(*read) == without_nulls(*expected)));
        ++objects;
        identical += *made == sample->protobuf;
    }
    CHECK(objects > 1500);
    // The others have what JSON cannot say: invalid UTF-8, an empty list beside none, blanks inside raw JSON.
    CHECK(identical > 1200);
}

TEST_CASE("protobuf writer: an empty object has the fields that Go always writes", "[protobuf]")
{
    const auto made = to_protobuf(parsed(R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease"})"));
    REQUIRE(made.has_value());
    CHECK(hex(*made) == "6b387300"
                        "0a1f0a16636f6f7264696e6174696f6e2e6b38732e696f2f763112054c65617365"
                        "1214"
                        "0a100a0012001a0022002a00320038004200"
                        "1200"
                        "1a002200");
}

TEST_CASE("protobuf writer: times", "[protobuf]")
{
    const auto renewed = [](const std::string& time) {
        return message_hex("coordination.k8s.io/v1", "Lease", R"({"spec":{"renewTime":)" + time + "}}").substr(36);
    };
    CHECK(renewed("null") == "1200");
    CHECK(renewed(R"("0001-01-01T00:00:00.000000Z")") == "12022200");
    CHECK(renewed(R"("1970-01-01T00:00:00.000000Z")") == "120622040800"
                                                         "1000");
    CHECK(renewed(R"("1970-01-01T00:00:01.000001Z")") == "12072205080110e807");
    CHECK(renewed(R"("1970-01-01T02:00:01.000001+02:00")") == "12072205080110e807");
    for (const auto* bad : {"1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.0000001Z"})
        CHECK(problem(R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","spec":{"renewTime":")" +
                      std::string(bad) + "\"}}") ==
              "spec.renewTime: expected a time in RFC 3339 with six digits of fraction, got a string");
    const auto created = [](const std::string& time) {
        return message_hex("v1", "Namespace", R"({"metadata":{"creationTimestamp":")" + time + "\"}}");
    };
    CHECK(created("1969-12-31T23:59:59.9Z").find("420d08ffffffffffffffffff011000") != std::string::npos);
    for (const auto* bad : {"", "1970-01-01", "1970-01-01T00:00:00", "1970-02-30T00:00:00Z", "1970-01-01T24:00:00Z",
                            "1970-01-01T00:00:00.Z", "1970-01-01T00:00:00+1:00", "1970-01-01T00:00:00Zz", "x"})
        CHECK(problem(R"({"apiVersion":"v1","kind":"Pod","metadata":{"creationTimestamp":")" + std::string(bad) +
                      "\"}}") == "metadata.creationTimestamp: expected a time in RFC 3339, got a string");
}

TEST_CASE("protobuf writer: entries of maps are sorted by bytes, and have both fields", "[protobuf]")
{
    const auto made =
        message_hex("v1", "ConfigMap", R"({"data":{"b":"","\u00e4":"1","B":"2"},"binaryData":{"n":null,"e":""}})");
    CHECK(made.substr(36) == "12060a0142120132"
                             "12050a01621200"
                             "12070a02c3a4120131"
                             "1a050a01651200"
                             "1a030a016e");
}

TEST_CASE("protobuf writer: absent, null and zero values", "[protobuf]")
{
    const auto config_map = [](std::string_view text) { return message_hex("v1", "ConfigMap", text).substr(36); };
    CHECK(config_map("{}").empty());
    CHECK(config_map(R"({"immutable":null,"data":null})").empty());
    CHECK(config_map(R"({"immutable":false})") == "2000");
    CHECK(config_map(R"({"immutable":true,"data":{}})") == "2001");
    // A list element has no absence.
    CHECK(message_hex("v1", "Pod", R"({"metadata":{"finalizers":["",null]}})").find("72007200") != std::string::npos);
}

TEST_CASE("protobuf writer: quantities are written as Go writes those that it has read", "[protobuf]")
{
    const std::pair<const char*, const char*> written[] = {
        {"2000m", "2"},    {"0.5", "500m"},     {"1.5", "1500m"},
        {"1024Mi", "1Gi"}, {"1.5Gi", "1536Mi"}, {"1000000", "1M"},
        {"1e3", "1e3"},    {"00010", "00010"},  {"+1", "+1"},
        {"5Gi", "5Gi"},    {"16Mi", "16Mi"},    {" 1 ", "1"},
        {"0", "0"},        {"0.0", "0"},        {"100k", "100k"},
        {"1000k", "1M"},   {"1500k", "1500k"},  {"0.1m", "100u"},
        {"8192Ki", "8Mi"}, {"-2000m", "-2"},    {"1000000000Ki", "1000000000Ki"},
        {"3e0", "3e0"},    {"1E", "1E"},        {"0.001Ki", "1024m"}};
    for (const auto& [read, expected] : written) {
        INFO(read);
        CHECK(go_quantity(read) == expected);
    }
    for (const char* const wrong : {"512MB", "", "much", "1 k", "1ki"}) CHECK_FALSE(go_quantity(wrong));
}

TEST_CASE("protobuf writer: texts that are numbers or bytes", "[protobuf]")
{
    CHECK(read_duration("0s") == 0);
    CHECK(read_duration("1h0m1.5s") == 3'601'500'000'000);
    CHECK(read_duration("-1.000000001s") == -1'000'000'001);
    CHECK(read_duration("3ns") == 3);
    CHECK(read_duration("1.5\u00b5s") == 1500);
    for (const auto nanos : {std::int64_t{1}, std::int64_t{999'999}, std::int64_t{86'399'999'999'999},
                             std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()})
        CHECK(read_duration(duration_text(nanos)) == nanos);
    for (const auto* bad : {"", "-", "1", "s", "1x", "1.s1", "9223372036854775808ns", "99999999999999999999h"})
        CHECK_FALSE(read_duration(bad));

    const auto decoded = [](std::string_view text) {
        std::string out;
        return append_decoded_base64(out, text) ? hex(out) : "none";
    };
    CHECK(decoded("").empty());
    CHECK(decoded("AA==") == "00");
    CHECK(decoded("AAE=") == "0001");
    CHECK(decoded("AP/+\n") == "00fffe");
    for (const auto* bad : {"A", "AA", "AAA", "AA=", "AAA==", "AAAA=", "AA==AA==", "A-==", "===="})
        CHECK(decoded(bad) == "none");
}

TEST_CASE("protobuf writer: a value of the wrong type is named with its path", "[protobuf]")
{
    const auto pod = [](const std::string& spec) {
        return problem(R"({"apiVersion":"v1","kind":"Pod","spec":)" + spec + "}");
    };
    CHECK(pod("5") == "spec: expected an object, got a number");
    CHECK(pod(R"({"containers":{}})") == "spec.containers: expected an array, got an object");
    CHECK(pod(R"({"containers":[{},{"image":[]}]})") == "spec.containers[1].image: expected a string, got an array");
    CHECK(pod(R"({"nodeSelector":{"a":true}})") == "spec.nodeSelector.a: expected a string, got a boolean");
    CHECK(pod(R"({"priority":2147483648})") == "spec.priority: expected a whole number of 32 bits, got a number");
    CHECK(pod(R"({"priority":1.5})") == "spec.priority: expected a whole number of 32 bits, got a number");
    CHECK(pod(R"({"activeDeadlineSeconds":9223372036854775808})") ==
          "spec.activeDeadlineSeconds: expected a whole number of 64 bits, got a number");
    CHECK(pod(R"({"hostNetwork":"yes"})") == "spec.hostNetwork: expected a boolean, got a string");
    CHECK(pod(R"({"overhead":{"cpu":[]}})") == "spec.overhead.cpu: expected a quantity, got an array");
    CHECK(pod(R"({"volumes":[{"hostPath":1}]})") == "spec.volumes[0].hostPath: expected an object, got a number");
    CHECK(problem(R"({"apiVersion":"v1","kind":"Secret","data":{"k":"!"}})") ==
          "data.k: expected base64, got a string");
    CHECK(problem(R"({"apiVersion":"v1","kind":"Service","spec":{"ports":[{"targetPort":1.5}]}})") ==
          "spec.ports[0].targetPort: expected a string or a whole number of 32 bits, got a number");
    CHECK(problem(R"({"apiVersion":"example.com/v1","kind":"Widget"})") ==
          "a kind without a protobuf form: example.com/v1 Widget");
    CHECK(problem(R"({"kind":"Pod"})") == "a kind without a protobuf form:  Pod");
}

TEST_CASE("protobuf writer: nesting is bounded", "[protobuf]")
{
    json::value deep = json::object{};
    for (int i = 0; i < 600; ++i) deep = json::object{{"not", std::move(deep)}};
    const auto made = to_protobuf(json::object{
        {"apiVersion", "apiextensions.k8s.io/v1"},
        {"kind", "CustomResourceDefinition"},
        {"spec", json::object{{"versions", json::array{json::object{
                                               {"schema", json::object{{"openAPIV3Schema", std::move(deep)}}}}}}}}});
    REQUIRE_FALSE(made.has_value());
    CHECK(made.error().message().ends_with("nested too deeply"));
}

TEST_CASE("protobuf writer: a list that is written item by item is the list that is written at once", "[protobuf]")
{
    const auto whole =
        parsed(R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"c"},
        "items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"},"data":{"k":"v"}}]})");
    const auto expected = to_protobuf(whole);
    REQUIRE(expected.has_value());
    const auto* item_kind = builtin_schemas::find("v1", "ConfigMap");
    std::string items;
    std::size_t size = 0;
    for (const auto& item : whole.at("items").as_array()) {
        const auto message = protobuf_message(*item_kind, item.get_object());
        REQUIRE(message.has_value());
        append_protobuf_item(items, *message);
        size += protobuf_item_size(message->size());
    }
    const auto head =
        protobuf_list_head(*builtin_schemas::find("v1", "ConfigMapList"), {{"metadata", whole.at("metadata")}}, size);
    REQUIRE(head.has_value());
    CHECK(hex(*head + items + std::string(protobuf_list_tail)) == hex(*expected));
}

TEST_CASE("protobuf writer: frames of a watch", "[protobuf]")
{
    const auto object = to_protobuf(parsed(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"n"}})"));
    REQUIRE(object.has_value());
    const auto frame = protobuf_frame("BOOKMARK", *object);
    CHECK(hex(frame.substr(0, 4)) == "0000003c");
    CHECK(frame.size() == 4 + 0x3c);
    watch_decoder decoder({}, {}, {}, wire_form::protobuf);
    std::vector<watch_event> events;
    REQUIRE(decoder.feed(frame, events).has_value());
    REQUIRE(events.size() == 1);
    CHECK(events[0].type == watch_event_type::bookmark);
    CHECK(events[0].obj.name() == "n");
}

TEST_CASE("protobuf bodies of requests", "[protobuf]")
{
    const auto envelope = [](std::string_view api_version, std::string_view kind, std::string_view message) {
        return protobuf_envelope(api_version, kind, message);
    };
    const auto read = [](std::string_view body, std::size_t most = 1 << 20) {
        decode_limits limits;
        limits.max_object_bytes = most;
        return decode_protobuf_body(body, "v1", "ConfigMap", limits);
    };
    CHECK(read(envelope("", "", ""))->to_text() == R"({"kind":"ConfigMap","apiVersion":"v1"})");
    CHECK(read(envelope("apps/v1", "DeleteOptions", "\x08\x05"))->to_text() ==
          R"({"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":5})");
    CHECK(read("").error() == cond::corrupt);
    CHECK(read("{}").error() == cond::corrupt);
    CHECK(read(envelope("v1", "ConfigMap", "\x0a")).error() == cond::corrupt);
    CHECK(read(envelope("example.com/v1", "Widget", "")).error() == cond::corrupt);
    // Each empty container of two bytes becomes an object with five members.
    std::string containers;
    for (int i = 0; i < 1000; ++i) containers += std::string("\x12\x00", 2);
    std::string spec("\x12\xd0\x0f", 3);
    CHECK(read(envelope("v1", "Pod", spec + containers)).has_value());
    CHECK(read(envelope("v1", "Pod", spec + containers), 1000).error() == cond::invalid);
}
