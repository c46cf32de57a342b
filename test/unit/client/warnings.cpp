// Warnings of the server: reading the headers, and passing each of them on once.
#include "rest/answer_core.hpp"
#include "rest_fixture.hpp"

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace kubecoro::rest_test;

namespace {

using texts = std::vector<std::string>;

reply warned(const std::string& warning)
{
    return {.body = {pod("a")}, .headers = {{"warning", "299 - \"" + warning + "\""}}};
}

} // namespace

TEST_CASE("warnings: headers are read as upstream does", "[client][rest]")
{
    CHECK(parse_warnings("").empty());
    CHECK(parse_warnings(R"(299 - "text")") == texts{"text"});
    CHECK(parse_warnings(R"( 299   agent   "a \"b\" \\ c" )") == texts{R"(a "b" \ c)"});
    CHECK(parse_warnings(R"(299 - "" "Tue, 15 Nov 1994 08:12:31 GMT")") == texts{""});
    CHECK(parse_warnings(R"(299 - "one", 299 - "two, three")") == texts{"one", "two, three"});
    CHECK(parse_warnings(R"(199 - "other", 299 - "ours")") == texts{"ours"});
    CHECK(parse_warnings("299 - \"a\x1b[2J\"") == texts{"a [2J"});
    CHECK(parse_warnings("299 - \"" + std::string(5000, 'x') + "\"").at(0).size() == 1024);
    // The texts before a malformed part are kept.
    CHECK(parse_warnings(R"(299 - "one", nonsense)") == texts{"one"});
    for (const char* bad : {"299", "299 -", "299 - text", R"(299 - "text)", R"(299 - "text\)", R"(299 - "a" x)",
                            R"(299 - "a" "unfinished)", R"(299 "text")", ",", "\""}) {
        INFO(bad);
        CHECK(parse_warnings(bad).empty());
    }
}

TEST_CASE("warnings: a bounded number is remembered", "[client][rest]")
{
    seen_warnings seen;
    CHECK(seen.is_new("a"));
    CHECK_FALSE(seen.is_new("a"));
    for (int i = 0; i < 999; ++i) CHECK(seen.is_new(std::to_string(i)));
    CHECK_FALSE(seen.is_new("a"));
    CHECK(seen.is_new("one more"));
    CHECK(seen.is_new("a"));
}

TEST_CASE("client: the sink receives each warning once", "[client][rest]")
{
    world the;
    std::vector<server_warning> received;
    client_options o;
    o.on_warning = [&](const server_warning& w) { received.push_back(w); };
    auto c = the.make({}, o);
    the.net->replies = {warned("old"), warned("old"), warned("new")};
    for (int i = 0; i < 3; ++i) REQUIRE(the.run.run(c.get(pods, "ns", "a")));
    REQUIRE(received.size() == 2);
    CHECK(received[0].text == "old");
    CHECK(received[0].method == "GET");
    CHECK(received[0].target == "/api/v1/namespaces/ns/pods/a");
    CHECK(received[1].text == "new");
    CHECK(the.lines.empty());
}

TEST_CASE("client: without a sink each warning is logged once", "[client][rest]")
{
    world the;
    auto c = the.make();
    the.net->replies = {warned("old"), warned("old"), warned("new")};
    for (int i = 0; i < 3; ++i) REQUIRE(the.run.run(c.get(pods, "ns", "a")));
    CHECK(the.lines.size() == 2);
}

TEST_CASE("client: a sink that throws disturbs no request", "[client][rest]")
{
    world the;
    client_options o;
    o.on_warning = [](const server_warning&) { throw std::runtime_error("full"); };
    the.net->replies = {warned("old")};
    CHECK(the.run.run(the.make({}, o).get(pods, "ns", "a")));
    REQUIRE(the.lines.size() == 1);
    CHECK(the.lines[0].find("full") != std::string::npos);
}
