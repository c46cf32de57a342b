// Spans in the JSON form of OpenTelemetry's protocol.
#include <kubecoro/endpoints/otlp_file.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/json/parse.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

using namespace kubecoro;
using namespace std::chrono_literals;
namespace json = boost::json;
namespace fs = std::filesystem;

namespace {

span_data a_span()
{
    span_data s;
    s.name = "reconcile \"shops\"";
    s.kind = span_kind::consumer;
    s.context = {.trace_high = 0x0af7651916cd43dd, .trace_low = 0x8448eb211c80319c, .span = 0xb7ad6b7169203331};
    s.parent = 0x00f067aa0ba902b7;
    s.start = wall_time(1'700'000'000s);
    s.took = 1500ms;
    s.attributes = {{"text", std::string("a\nb")}, {"count", std::int64_t{3}}, {"share", 0.5}, {"flag", true}};
    return s;
}

json::value parsed(const std::string& line)
{
    CHECK(line.back() == '\n');
    CHECK(line.find('\n') == line.size() - 1);
    return json::parse(line);
}

/// The only span of a line.
json::object span_in(const json::value& line)
{
    return line.at("resourceSpans").at(0).at("scopeSpans").at(0).at("spans").at(0).as_object();
}

std::string content(const fs::path& of)
{
    std::ostringstream out;
    out << std::ifstream(of).rdbuf();
    return out.str();
}

std::size_t lines_in(const std::string& text)
{
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

struct folder
{
    fs::path path;

    folder()
    {
        std::string name = (fs::temp_directory_path() / "otlp-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path = name;
    }
    ~folder() { fs::remove_all(path); }
    folder(const folder&) = delete;
    folder& operator=(const folder&) = delete;
};

} // namespace

TEST_CASE("otlp: a span is a line with ids, times in nanoseconds and typed attributes", "[endpoints][traces]")
{
    const auto line = parsed(to_otlp_line(a_span(), {.service = "shops", .version = "1.2"}));
    const auto from = line.at("resourceSpans").at(0).at("resource");
    CHECK(from == json::parse(R"({"attributes":[{"key":"service.name","value":{"stringValue":"shops"}},)"
                              R"({"key":"service.version","value":{"stringValue":"1.2"}}]})"));
    const json::value expected = json::parse(R"({
        "traceId": "0af7651916cd43dd8448eb211c80319c", "spanId": "b7ad6b7169203331", "parentSpanId": "00f067aa0ba902b7",
        "name": "reconcile \"shops\"", "kind": 5,
        "startTimeUnixNano": "1700000000000000000", "endTimeUnixNano": "1700000001500000000",
        "attributes": [{"key": "text", "value": {"stringValue": "a b"}}, {"key": "count", "value": {"intValue": "3"}},
                       {"key": "share", "value": {"doubleValue": 0.5}}, {"key": "flag", "value": {"boolValue": true}}]})");
    CHECK(json::value(span_in(line)) == expected);
}

TEST_CASE("otlp: failures, links and left-out links are said, and their absence is not", "[endpoints][traces]")
{
    auto s = a_span();
    s.parent = 0;
    s.attributes.clear();
    s.error = "conflict";
    s.links = {{.trace_low = 1, .span = 2}};
    s.links_left_out = 4;
    const auto got = span_in(parsed(to_otlp_line(s)));
    CHECK_FALSE(got.contains("parentSpanId"));
    CHECK(got.at("status") == json::parse(R"({"code":2})"));
    CHECK(got.at("attributes") == json::parse(R"([{"key":"error.type","value":{"stringValue":"conflict"}}])"));
    CHECK(got.at("links") ==
          json::parse(R"([{"traceId":"00000000000000000000000000000001","spanId":"0000000000000002"}])"));
    CHECK(got.at("droppedLinksCount").as_int64() == 4);
    const auto plain = span_in(parsed(to_otlp_line(a_span())));
    for (const auto* absent : {"status", "links", "droppedLinksCount"}) CHECK_FALSE(plain.contains(absent));
}

TEST_CASE("otlp: what JSON cannot hold becomes text that it can", "[endpoints][traces]")
{
    auto s = a_span();
    s.name = "\xff\x1b[2J";
    s.attributes = {{"share", std::numeric_limits<double>::quiet_NaN()},
                    {"limit", std::numeric_limits<double>::infinity()},
                    {"text\xc3", std::string("\x80")}};
    const auto got = span_in(parsed(to_otlp_line(s)));
    CHECK(got.at("name") == "  [2J");
    CHECK(got.at("attributes") == json::parse(R"([{"key":"share","value":{"stringValue":"nan"}},)"
                                              R"({"key":"limit","value":{"stringValue":"inf"}},)"
                                              R"({"key":"text ","value":{"stringValue":" "}}])"));
}

TEST_CASE("otlp: the kinds have the protocol's numbers", "[endpoints][traces]")
{
    const auto number = [](span_kind k) {
        auto s = a_span();
        s.kind = k;
        return span_in(parsed(to_otlp_line(s))).at("kind").as_int64();
    };
    CHECK(number(span_kind::internal) == 1);
    CHECK(number(span_kind::client) == 3);
    CHECK(number(span_kind::producer) == 4);
    CHECK(number(span_kind::consumer) == 5);
}

TEST_CASE("otlp file: spans are added to the file as they end", "[endpoints][traces]")
{
    const folder f;
    const auto path = f.path / "traces";
    for (int run = 0; run < 2; ++run) {
        const auto sink = otlp_file(path.string(), {.service = "shops"});
        REQUIRE(sink);
        (*sink)->ended(a_span());
        CHECK(content(path) != "");
    }
    CHECK(content(path) == to_otlp_line(a_span(), {.service = "shops"}) + to_otlp_line(a_span(), {.service = "shops"}));
}

TEST_CASE("otlp file: at its limit another file begins, and one older one is kept", "[endpoints][traces]")
{
    const folder f;
    const auto path = f.path / "traces";
    const auto length = to_otlp_line(a_span()).size();
    const auto sink = otlp_file(path.string(), {}, 3 * length);
    REQUIRE(sink);
    for (int n = 0; n < 8; ++n) (*sink)->ended(a_span());
    CHECK(lines_in(content(path)) == 2);
    CHECK(lines_in(content(f.path / "traces.1")) == 3);
    CHECK(std::distance(fs::directory_iterator(f.path), fs::directory_iterator()) == 2);
    // A file that was there counts.
    const auto again = otlp_file(path.string(), {}, 3 * length);
    REQUIRE(again);
    for (int n = 0; n < 2; ++n) (*again)->ended(a_span());
    CHECK(lines_in(content(path)) == 1);
    // A span that is longer than the limit has a file of its own.
    const auto tiny = otlp_file(path.string(), {}, 1);
    REQUIRE(tiny);
    (*tiny)->ended(a_span());
    CHECK(lines_in(content(path)) == 1);
}

TEST_CASE("otlp file: where no other file can be begun, the limit counts", "[endpoints][traces]")
{
    const folder f;
    const auto path = f.path / "traces";
    fs::create_directories(f.path / "traces.1" / "in the way");
    const auto length = to_otlp_line(a_span()).size();
    const auto sink = otlp_file(path.string(), {}, 3 * length);
    REQUIRE(sink);
    for (int n = 0; n < 8; ++n) (*sink)->ended(a_span());
    CHECK(lines_in(content(path)) == 2);
}

TEST_CASE("otlp file: a file that cannot be opened is named", "[endpoints][traces]")
{
    const folder f;
    const auto path = (f.path / "missing" / "traces").string();
    const auto sink = otlp_file(path);
    REQUIRE_FALSE(sink);
    CHECK(sink.error() == cond::misconfigured);
    CHECK(sink.error().message().find(path) != std::string::npos);
}
