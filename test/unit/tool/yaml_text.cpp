#include "print/escape.hpp"

#include <kubecoro/api/yaml.hpp>
#include <kubecoro/client/manifests.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <random>

using namespace kubecoro;
using namespace kubecoro::tool;
namespace json = boost::json;

namespace {

json::value read_back(const std::string& yaml)
{
    auto documents = parse_documents(yaml, "yaml");
    INFO(yaml);
    REQUIRE(documents);
    REQUIRE(documents->size() == 1);
    return documents->front();
}

json::value some_text(std::mt19937_64& random)
{
    static const std::vector<std::string> pieces{
        "a",  " ",        "\n",       "\t",   ":",   ": ",   "#",  " #",  "-",  "- ",   "'",          "\"",   "\\",
        "{",  "}",        "[",        "]",    ",",   "&",    "*",  "!",   "|",  ">",    "%",          "@",    "`",
        "~",  "0",        "1.5",      "0x1F", "1e",  "true", "No", "y",   "on", "null", "012",        "1:30", "=",
        "<<", "\xc2\x9b", "\xc3\xa4", "?",    "...", "---",  ".",  "inf", "+",  "\r",   "2026-01-01", "_"};
    std::string out;
    for (auto n = random() % 5; n != 0; --n) out += pieces[random() % pieces.size()];
    return json::value(json::string_view(out.data(), out.size()));
}

// NOLINTNEXTLINE(misc-no-recursion)
json::value some_value(std::mt19937_64& random, int depth)
{
    switch (random() % (depth > 0 ? 8 : 5)) {
    case 0:
        return static_cast<std::int64_t>(random());
    case 1:
        return random() % 2 == 0;
    case 2:
        return nullptr;
    case 5:
    case 6: {
        json::object out;
        for (auto n = random() % 4; n != 0; --n) out[some_text(random).as_string()] = some_value(random, depth - 1);
        return out;
    }
    case 7: {
        json::array out;
        for (auto n = random() % 4; n != 0; --n) out.push_back(some_value(random, depth - 1));
        return out;
    }
    default:
        return some_text(random);
    }
}

} // namespace

TEST_CASE("tool: YAML as kubectl writes it", "[tool]")
{
    CHECK(
        to_yaml(json::parse(
            R"({"kind":"ConfigMap","metadata":{"name":"a","labels":{},"finalizers":["x","y"]},"items":[{"a":1,"b":[2]},[3],"s",[]],
                  "data":{"one":"line","two":"a\nb\n","three":"a\n\nb","yes":"yes","n":"12","empty":"","esc":"\u001b[2J"}})")) ==
        "kind: ConfigMap\nmetadata:\n  name: a\n  labels: {}\n  finalizers:\n  - x\n  - \"y\"\nitems:\n- a: 1\n  b:\n"
        "  - 2\n-\n  - 3\n- s\n- []\ndata:\n  one: line\n  two: |\n    a\n    b\n  three: |-\n    a\n\n    b\n"
        "  \"yes\": \"yes\"\n  \"n\": \"12\"\n  empty: \"\"\n  esc: \"\\u001b[2J\"\n");
    CHECK(to_yaml(json::parse("{}")) == "{}\n");
    CHECK(to_yaml(json::parse("\"a\"")) == "a\n");
}

TEST_CASE("tool: YAML beyond a width of 64 is in one line", "[tool]")
{
    json::value deep = json::parse(R"({"k":"a\nb","l":[1,{"m":{}}]})");
    for (int i = 0; i < 40; ++i)
        deep = i % 2 == 0 ? json::value(json::array{deep, i}) : json::object{{"k", deep}, {"l", "a\nb\n"}};
    const auto yaml = to_yaml(deep);
    CHECK(read_back(yaml) == deep);
    std::size_t widest = 0;
    for (std::size_t at = 0; at < yaml.size(); at = std::min(yaml.find('\n', at), yaml.size()) + 1)
        widest = std::max(widest, std::min(yaml.find_first_not_of(" -", at), yaml.size()) - at);
    CHECK(widest <= 70);
}

TEST_CASE("tool: YAML reads back as the same value, and is safe for a terminal", "[tool]")
{
    const auto seed = std::random_device{}();
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    for (int i = 0; i < 3000; ++i) {
        json::object whole;
        whole["v"] = some_value(random, 4);
        const auto yaml = to_yaml(whole);
        INFO(json::serialize(whole) << "\n" << yaml);
        REQUIRE(read_back(yaml) == json::value(whole));
        REQUIRE(for_terminal(yaml) == yaml);
        REQUIRE(yaml.find('\x1b') == std::string::npos);
    }
}
