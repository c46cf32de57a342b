#include "json_samples.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace testing_samples {
namespace json = boost::json;

std::string numbered_pod(int i)
{
    auto text = std::string(pod);
    const auto n = std::to_string(i);
    text.replace(text.find("front-1"), 7, "front-" + n);
    text.replace(text.find("7a5c-1"), 6, "2fb88144-0bee-4346-a488-1cd6ec6e" + std::to_string(1000 + i));
    return text;
}

std::vector<std::string> edge_documents()
{
    std::vector<std::string> all = {
        "{}",
        " \t\r\n{ } \n",
        R"({"":""})",
        R"({"a":{},"b":[],"c":[[]],"d":[{}],"e":[[],{}]})",
        R"({"a":null,"b":true,"c":false})",
        R"({"a":[null,true,false,0,-1,"",{}]})",
        R"({"n":[0,-0,1,-1,63,64,127,128,255,256,32767,32768,65535,65536]})",
        R"({"n":[2147483647,2147483648,4294967296,9223372036854775807,-9223372036854775808]})",
        R"({"n":[9223372036854775808,18446744073709551615,18446744073709551616,-9223372036854775809]})",
        R"({"n":[1e3,1E+3,1e-3,1.0,-1.5,0.1,1.25e2,123.456e-7,0.0,-0.0,12345678901234567890]})",
        R"({"s":"\"\\\/\b\f\n\r\t\u0000\u001f\u007f\u0080\u07ff\u0800\uffff\ud83d\ude00"})",
        "{\"s\":\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"}",
        R"({"\u006bey":"\u003c\u003e\u0026","k\"ey":1,"k:{\"uid\":\"x\"}":{"f:a":{}}})",
        R"({"a.b/c":"x","~":"y","0":[{"1":2}]})",
        R"( { "spaced" : [ 1 , 2 , { "x" : null } ] , "y" : "z" } )",
        std::string(pod),
    };
    all.push_back("{\"long\":\"" + std::string(70000, 'y') + "\"}");
    all.push_back("{\"" + std::string(240, 'k') + "\":1,\"" + std::string(239, 'k') + "\":2}");
    all.push_back("{\"v\":" + std::string(199, '[') + std::string(199, ']') + "}");
    std::string deep = "1";
    for (int i = 0; i < 60; ++i) deep = "{\"a" + std::to_string(i) + "\":[" + deep + "]}";
    all.push_back(deep);
    std::string wide = "{\"w\":[";
    for (int i = 0; i < 400; ++i) wide += (i ? ",\"" : "\"") + std::to_string(i) + "\"";
    all.push_back(wide + "]}");
    return all;
}

std::vector<std::string> broken_documents()
{
    std::vector<std::string> all = {
        "",
        " ",
        "[",
        "]",
        "[]",
        "1",
        "\"x\"",
        "null",
        "true",
        "{",
        "}",
        "{]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{,}",
        "{\"a\":1 \"b\":2}",
        "{\"a\":[1,]}",
        "{\"a\":[,1]}",
        "{a:1}",
        "{'a':1}",
        "{\"a\":01}",
        "{\"a\":+1}",
        "{\"a\":.5}",
        "{\"a\":1.}",
        "{\"a\":1e}",
        "{\"a\":-}",
        "{\"a\":0x1}",
        "{\"a\":NaN}",
        "{\"a\":Infinity}",
        "{\"a\":tru}",
        "{\"a\":nul}",
        "{\"a\":True}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12g4\"}",
        "{\"a\":\"\n\"}",
        "{\"a\":\"\t\"}",
        "{\"a\":1}}",
        "{\"a\":1}{}",
        "{\"a\":1} x",
        "{\"a\":1}//",
        "/**/{}",
        "{\"a\":1/**/}",
    };
    // Invalid UTF-8: stray and missing continuations, overlong forms, surrogates, values beyond the last code point.
    for (const char* bad : {"\x80", "\xbf", "\xc3", "\xc0\xaf", "\xc1\xbf", "\xe0\x80\xaf", "\xe2\x82", "\xed\xa0\x80",
                            "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xfe"}) {
        all.push_back("{\"a\":\"" + std::string(bad) + "\"}");
        all.push_back("{\"" + std::string(bad) + "\":1}");
    }
    all.push_back(std::string("{\"a\":\"\0\"}", 9));
    all.push_back(std::string(1000, '['));
    all.push_back("\xef\xbb\xbf{}");
    return all;
}

void generator::blanks(std::string& out)
{
    while (below(8) == 0) out += " \t\n\r"[below(4)];
}

void generator::text(std::string& out)
{
    static const std::vector<std::string> pieces = {"a",
                                                    "metadata",
                                                    "kind",
                                                    "items",
                                                    "\\n",
                                                    "\\\"",
                                                    "\\\\",
                                                    "\\u0000",
                                                    "\\u00e4",
                                                    "\\ud83d\\ude00",
                                                    "\xc3\xa4",
                                                    "\xf0\x9f\x98\x80",
                                                    "\\/",
                                                    "managedFields",
                                                    std::string(90, 'p'),
                                                    std::string(300, 'q'),
                                                    "0",
                                                    "."};
    out += '"';
    while (below(3) != 0) out += pieces[below(pieces.size())];
    out += '"';
}

void generator::number(std::string& out)
{
    if (below(2) != 0) out += '-';
    out += below(4) == 0 ? "0" : std::to_string(1 + engine_() % (std::uint64_t{1} << (below(63) + 1)));
    if (below(3) == 0) out += "." + std::to_string(engine_() % 100000);
    if (below(4) == 0) out += (below(2) != 0 ? "e" : "E") + std::string(1, "+-"[below(2)]) + std::to_string(below(30));
}

void generator::object(std::string& out, int depth)
{
    out += '{';
    blanks(out);
    for (std::size_t n = below(5); n != 0; --n) {
        text(out);
        blanks(out);
        out += ':';
        blanks(out);
        value(out, depth + 1);
        blanks(out);
        if (n > 1) out += ',';
        blanks(out);
    }
    out += '}';
}

void generator::value(std::string& out, int depth)
{
    switch (below(depth > 6 ? 5 : 8)) {
    case 0:
        out += "null";
        break;
    case 1:
        out += below(2) != 0 ? "true" : "false";
        break;
    case 2:
    case 3:
        number(out);
        break;
    case 4:
        text(out);
        break;
    case 5:
        out += '[';
        for (std::size_t n = below(6); n != 0; --n) {
            value(out, depth + 1);
            if (n > 1) out += ',';
        }
        out += ']';
        break;
    default:
        object(out, depth);
    }
}

std::string generator::document()
{
    std::string out;
    blanks(out);
    object(out, 0);
    blanks(out);
    return out;
}

std::string generator::shuffled(const kubecoro::value_view& v)
{
    if (v.is_array()) {
        std::string out = "[";
        for (const auto item : v.items()) out += (out.size() > 1 ? "," : "") + shuffled(item);
        return out + "]";
    }
    if (!v.is_object()) return v.to_text();
    std::map<std::string_view, std::string> last;
    for (const auto& [key, value] : v.members()) last[key] = shuffled(value);
    std::vector<std::string> members;
    for (const auto& [key, text] : last) members.push_back(json::serialize(json::string(key)) + ":" + text);
    std::shuffle(members.begin(), members.end(), engine_);
    std::string out = "{";
    for (const auto& m : members) out += (out.size() > 1 ? "," : "") + m;
    return out + "}";
}

} // namespace testing_samples
