#include "print/escape.hpp"
#include "print/json_lines.hpp"
#include "print/objects.hpp"

#include <kubecoro/test/catch.hpp>

#include <boost/json/parse.hpp>

using namespace kubecoro::tool;
using kubecoro::detail::needs_escapes;
using kubecoro::detail::to_json_line;
namespace json = boost::json;

TEST_CASE("tool: JSON stays the same value, and cannot control a terminal", "[tool]")
{
    const std::string hostile = "\"a\xc2\x9b"
                                "31m\x7f \xe2\x80\xae \xe2\x80\xa8 \xe2\x81\xa6 \xc3\xa4 \xf0\x9f\x98\x80\"";
    const auto safe = escaped_json(hostile);
    CHECK(safe == "\"a\\u009b31m\\u007f \\u202e \\u2028 \\u2066 \xc3\xa4 \xf0\x9f\x98\x80\"");
    CHECK(json::parse(safe) == json::parse(hostile));
    CHECK_FALSE(needs_escapes(safe));
    CHECK(escaped_json("{\n}") == "{\n}");
}

TEST_CASE("tool: text for a terminal keeps lines, tabs and colours, and nothing else that moves the cursor", "[tool]")
{
    CHECK(for_terminal("a\tb\nc\n") == "a\tb\nc\n");
    CHECK(for_terminal("\x1b[1;31mred\x1b[0m") == "\x1b[1;31mred\x1b[0m");
    CHECK(for_terminal("\x1b[2J\x1b]0;title\x07x") == " [2J ]0;title x");
    CHECK(for_terminal("a\r\x08\x1b") == "a   ");
    CHECK(for_terminal("\x1b[31") == " [31");
    CHECK(for_terminal("\xc2\x9b"
                       "2J\xff") == " 2J ");
    CHECK(for_terminal("") == "");
}

TEST_CASE("tool: JSON is indented by four, with plain numbers", "[tool]")
{
    CHECK(to_json_text(json::parse(R"({"a":[],"b":{},"c":[1,{"d":0.5}],"e":"x\ny"})")) ==
          "{\n    \"a\": [],\n    \"b\": {},\n    \"c\": [\n        1,\n        {\n            \"d\": 0.5\n        }\n"
          "    ],\n    \"e\": \"x\\ny\"\n}\n");
    CHECK(to_json_line(json::parse(R"({"a":[1,true,null],"b":18446744073709551615})")) ==
          R"({"a":[1,true,null],"b":18446744073709551615})");
}

TEST_CASE("tool: a JSONPath prints bytes as they are, but not to a terminal", "[tool]")
{
    output_format format;
    format.kind = output_kind::jsonpath;
    format.path = json_path_template::parse(".a").value();
    const auto document = json::parse(R"({"a":"x\u001b[2J"})");
    CHECK(document_text(document, format, false) == "x\x1b[2J");
    CHECK(document_text(document, format, true) == "x [2J\n");
    CHECK(object_name("pod", "a\nb") == "pod/a b");
}
