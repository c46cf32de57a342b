// The scanner accepts and refuses the same texts as Boost.JSON's parser and writes the same tape, in every chunking.
#include <kubecoro/test/boost_tape.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/scan_in_parts.hpp>

#include "json/tape_sink.hpp"
#include "json_samples.hpp"
#include "storage/object_block.hpp"

#include <string>
#include <string_view>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

constexpr std::size_t max_depth = 20;

/// Compares both parsers for one text, which a list of sizes splits.
class comparison
{
public:
    void check(std::string_view text, const std::vector<std::size_t>& sizes)
    {
        CAPTURE(text);
        const auto wanted = test::boost_tape(text, max_depth);
        for (const std::size_t size : sizes) {
            CAPTURE(size);
            REQUIRE(scan_(text, size) == wanted);
        }
        ++(wanted ? accepted : refused);
    }
    /// In parts of every size.
    void check(std::string_view text)
    {
        std::vector<std::size_t> sizes;
        for (std::size_t size = 1; size <= text.size() + 1; ++size) sizes.push_back(size);
        check(text, sizes);
    }

    int accepted = 0;
    int refused = 0;

private:
    test::scan_in_parts scan_{max_depth};
};

std::string repeated(std::string_view text, int times)
{
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}

/// Values, some of them wrong.
std::vector<std::string> values()
{
    std::vector<std::string> all{"0",
                                 "-0",
                                 "-",
                                 "--1",
                                 "+1",
                                 "01",
                                 "-01",
                                 "00",
                                 "1.",
                                 ".5",
                                 "-.5",
                                 "1.5",
                                 "0.0",
                                 "-0.0",
                                 "0e",
                                 "0e1",
                                 "0E+1",
                                 "0e-1",
                                 "1e+",
                                 "1e+-1",
                                 "1.e1",
                                 "1.5e",
                                 "1e1.5",
                                 "1e5 ",
                                 "1 e5",
                                 "1a",
                                 "0x1",
                                 "1_000",
                                 "NaN",
                                 "nan",
                                 "Infinity",
                                 "-Infinity",
                                 "999999999999999999",
                                 "9999999999999999999",
                                 "9223372036854775807",
                                 "9223372036854775808",
                                 "-9223372036854775808",
                                 "-9223372036854775809",
                                 "18446744073709551615",
                                 "18446744073709551616",
                                 "123456789012345678901234567890",
                                 "-123456789012345678901234567890",
                                 "1234567890.1234567890123456789",
                                 "0.00000000000000000000000000000000000000000000001",
                                 "1e308",
                                 "1e309",
                                 "-1e400",
                                 "1e-400",
                                 "1e2147483600",
                                 "1e-2147483600",
                                 "1e2147483648",
                                 "1e-2147483648",
                                 "1e00000000000000000000000000000001",
                                 "1e99999999999999999999999999",
                                 "1e4294967297",
                                 "true",
                                 "false",
                                 "null",
                                 "tru",
                                 "truE",
                                 "truee",
                                 "nul",
                                 "nulL",
                                 "fals",
                                 "True",
                                 "t",
                                 "n",
                                 "'a'",
                                 "a",
                                 "\"\"",
                                 "\"",
                                 "\"a",
                                 "\"\\\"",
                                 "\"\\",
                                 "\"\\\\\"",
                                 R"("\"\\\/\b\f\n\r\t")",
                                 R"("\a")",
                                 R"("\U0041")",
                                 R"("\u")",
                                 R"("\u0")",
                                 R"("\u00")",
                                 R"("\u004")",
                                 R"("\u0041")",
                                 R"("\u00e4\u20AC\uFFFF\u0000")",
                                 R"("\u00g1")",
                                 R"("\u 041")",
                                 R"("\ud83d\ude00")",
                                 R"("\ud800")",
                                 R"("\ud800\ud800\udc00\udc00x")",
                                 R"("\ud800\n")",
                                 R"("\ud800\u0041")",
                                 R"("\ud800\u00")",
                                 R"("\ud800\x")",
                                 R"("\udfff\\\ud800\\ud800")",
                                 "\"a\nb\"",
                                 "\"a\tb\"",
                                 "\"\x1f\"",
                                 "\"\x7f\"",
                                 "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"",
                                 "\"a\xc3\xa4"
                                 "b\xe2\x82\xac"
                                 "c\xf0\x9f\x98\x80"
                                 "d\\n\xc3\xa4\"",
                                 "[]",
                                 "[ ]",
                                 "[1]",
                                 "[1,]",
                                 "[,1]",
                                 "[,]",
                                 "[1,,2]",
                                 "[1 2]",
                                 "[1",
                                 "[1,",
                                 "]",
                                 "[1}",
                                 "[[]]",
                                 "[[],[[]],{}]",
                                 "[\"a\",\"b\" ,\"c\"]",
                                 "[1,null,true,false,\"x\",-0,1.5,{\"a\":[]}]",
                                 "{}",
                                 "{ }",
                                 "{\"a\":1}",
                                 "{\"a\" : 1 , \"b\" : 2 }",
                                 "{\"a\":1,}",
                                 "{,\"a\":1}",
                                 "{\"a\"}",
                                 "{\"a\":}",
                                 "{\"a\" 1}",
                                 "{\"a\"::1}",
                                 "{\"a\":1:2}",
                                 "{\"a\":1 \"b\":2}",
                                 "{\"a\":1]",
                                 "{a:1}",
                                 "{1:1}",
                                 "{null:1}",
                                 "{\"a\":1,\"a\":2}",
                                 "{\"\":\"\"}",
                                 "{\"\\u0061\\n\":[{}]}",
                                 "{\"\xc3\xa4\":\"\xc3\xa4\"}",
                                 "{\"a\":{\"b\":{\"c\":{}}}}",
                                 "}",
                                 "{}}",
                                 "{}{}",
                                 "{} {}",
                                 "[][]",
                                 "1 2",
                                 "1,2",
                                 "/**/1",
                                 "1//",
                                 "[1/**/]",
                                 "#",
                                 "\xef\xbb\xbf{}",
                                 "\xc2\xa0{}",
                                 "\f1",
                                 "\v1",
                                 "",
                                 " ",
                                 "\n\t\r "};
    for (const int levels : {19, 20, 21, 22}) {
        all.push_back(repeated("[", levels) + repeated("]", levels));
        all.push_back(repeated("{\"a\":", levels) + "1" + repeated("}", levels));
    }
    all.push_back("\"" + std::string(1, '\0') + "\"");
    all.push_back(std::string(1, '\0'));
    all.push_back("{}" + std::string(1, '\0'));
    return all;
}

} // namespace

TEST_CASE("json_scanner: agrees with Boost.JSON on each value, alone and inside others, in every chunking",
          "[api][decode][scanner]")
{
    comparison both;
    for (const std::string& value : values())
        for (const std::string& text : {value, " \n" + value + "\t ", "[" + value + "]", "[1," + value + ",2]",
                                        "{\"a\":" + value + "}", "{\"a\":[" + value + " ],\"b\":" + value + "}"})
            both.check(text);
    CHECK(both.accepted > 300);
    CHECK(both.refused > 400);
}

TEST_CASE("json_scanner: agrees with Boost.JSON on every byte in every kind of place", "[api][decode][scanner]")
{
    comparison both;
    for (int byte = 0; byte < 256; ++byte) {
        const std::string c(1, static_cast<char>(byte));
        for (const std::string& text : {c,
                                        "\"" + c + "\"",
                                        "\"abcdefghijklmnopqrstuvwxyz012345678901234567890123456789" + c + "\"",
                                        "\"\\" + c + "\"",
                                        "{\"" + c + "\":1}",
                                        "{" + c + "}",
                                        "{\"a\"" + c + "1}",
                                        "{\"a\":" + c + "1}",
                                        "{\"a\":1" + c + "}",
                                        "[" + c + "]",
                                        "[1" + c + "2]",
                                        "1" + c,
                                        "-" + c,
                                        "0" + c,
                                        "1." + c,
                                        "1.5" + c,
                                        "1e" + c,
                                        "1e+" + c,
                                        "1e5" + c,
                                        "tru" + c,
                                        "\"\\u00" + c + "0\""})
            both.check(text, {1, 2, 3, text.size()});
    }
}

TEST_CASE("json_scanner: agrees with Boost.JSON on every sequence of two bytes and on the edges of UTF-8",
          "[api][decode][scanner]")
{
    comparison both;
    const auto check = [&](const std::string& bytes) { both.check("\"" + bytes + "\"", {1, 2, 100}); };
    for (int first = 0x80; first < 256; ++first)
        for (int second = 0x70; second < 256; ++second) {
            const std::string two{static_cast<char>(first), static_cast<char>(second)};
            check(two);
            for (const char* rest : {"\x80", "\x80\x80", "\xbf", "\xbf\xbf", "a",
                                     "\x80"
                                     "a",
                                     "\xc0", "\x80\xc0"})
                check(two + rest);
        }
    CHECK(both.accepted > 500);
}

TEST_CASE("json_scanner: agrees with Boost.JSON on documents of all kinds", "[api][decode][scanner]")
{
    comparison both;
    for (const auto& text : testing_samples::edge_documents())
        both.check(text, {1, 2, 3, 5, 17, 64, 1000, text.size()});
    for (const auto& text : testing_samples::broken_documents()) both.check(text, {1, 2, 3, text.size() + 1});
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        CAPTURE(seed);
        testing_samples::generator random(seed);
        const std::string text = random.document();
        both.check(text, {1, 2, 7, 1 + random.below(100), text.size()});
        // Cut, and with one byte changed.
        both.check(text.substr(0, random.below(text.size())), {3, text.size()});
        std::string changed = text;
        changed[random.below(text.size())] = "\"\\{}[],:0 \xff"[random.below(11)];
        both.check(changed, {1, 5, text.size()});
    }
}

TEST_CASE("json_scanner: blanks and texts of every length end at the right place", "[api][decode][scanner]")
{
    comparison both;
    for (std::size_t n = 0; n < 140; ++n)
        for (const char* end : {"\"", "\\n\"", "\xc3\xa4\"", "\n\"", ""}) {
            const std::string text =
                "[\"" + std::string(n, 'x') + end + std::string(n, ' ') + "," + std::string(n, '\n') + "1]";
            both.check(text, {1 + n, text.size()});
        }
}

TEST_CASE("json_scanner: the positions of errors", "[api][decode][scanner]")
{
    struct sample
    {
        std::string_view text;
        std::size_t at;
        std::string_view why;
    };
    const field_filter nothing;
    for (const auto& [text, at, why] : {sample{"{\"a\":1,}", 7, "expected the name of a member"},
                                        {"{\"a\" 1}", 5, "expected ':'"},
                                        {"{\"a\":x}", 5, "expected a value"},
                                        {"{\"a\":1]", 6, "expected ',' or '}'"},
                                        {"[1}", 2, "expected ',' or ']'"},
                                        {"[1,]", 3, "expected a value"},
                                        {"[-]", 2, "invalid number"},
                                        {"[1e2147483648]", 12, "exponent overflow"},
                                        {"[\"a\n\"]", 3, "control character in a string"},
                                        {"[\"a\\x\"]", 3, "invalid escape"},
                                        {"[\"a\xff\"]", 3, "invalid UTF-8"},
                                        {"[[[[1]]]]", 3, "nested too deeply"}}) {
        CAPTURE(text);
        pruned_tape tape({}, nothing, nullptr);
        tape.clear(false);
        tape_sink sink(tape, 100);
        json_scanner scanner(3);
        const char* end = text.data();
        REQUIRE(scanner.run(end, text.data() + text.size(), sink) == json_scanner::outcome::malformed);
        CHECK(static_cast<std::size_t>(end - text.data()) == at);
        CHECK(scanner.problem() == why);
    }
}

TEST_CASE("scan_value: appends one value where the tape awaits one", "[api][decode][scanner]")
{
    const field_filter nothing;
    pruned_tape tape({.max_object_bytes = 200, .max_depth = 4}, nothing, nullptr);
    const auto text = [&] {
        const auto bytes = tape.tape().bytes();
        return tape_access::view(bytes.data(), bytes.data() + bytes.size(), nullptr).to_text();
    };
    tape.clear(false);
    REQUIRE(tape.begin(true));
    REQUIRE(tape.key("fieldsV1"));
    CHECK(scan_value(R"( {"f:a":{".":{}},"n":[1,"\u00e4"]} )", tape) == scanned::complete);
    REQUIRE(tape.key("list"));
    REQUIRE(tape.begin(false));
    for (const std::string_view item : {"1", "-0", "\"x\"", "[]", "null"})
        CHECK(scan_value(item, tape) == scanned::complete);
    REQUIRE(tape.end());
    REQUIRE(tape.end());
    CHECK(text() == "{\"fieldsV1\":{\"f:a\":{\".\":{}},\"n\":[1,\"\xc3\xa4\"]},\"list\":[1,-0,\"x\",[],null]}");

    for (const std::string_view wrong : {"", " ", "{", "{}x", "{} {}", "[1,]", "\"a", "-", "1 2", "tru"}) {
        CAPTURE(wrong);
        tape.clear(false);
        REQUIRE(tape.begin(true));
        REQUIRE(tape.key("fieldsV1"));
        CHECK(scan_value(wrong, tape) == scanned::malformed);
    }
    tape.clear(false);
    CHECK(scan_value("\"" + std::string(300, 'x') + "\"", tape) == scanned::too_large);
    tape.clear(false);
    CHECK(scan_value("[[[[[1]]]]]", tape) == scanned::too_large);
    CHECK(tape.too_deep());
}

TEST_CASE("scan_value: leaves out pruned fields", "[api][decode][scanner]")
{
    const auto filter = field_filter::compile({.prune = {.drop = {"a.drop", "a.list.*.b"}}});
    REQUIRE(filter);
    pruned_tape tape({}, *filter, nullptr);
    tape.clear(true);
    REQUIRE(tape.begin(true));
    REQUIRE(tape.key("a"));
    CHECK(scan_value(R"({"drop":{"x":["}"]},"keep":[1],"list":[{"b":{},"c":2},{"b":"\ud800"}],"drop":7})", tape) ==
          scanned::complete);
    REQUIRE(tape.end());
    const auto bytes = tape.tape().bytes();
    CHECK(tape_access::view(bytes.data(), bytes.data() + bytes.size(), nullptr).to_text() ==
          R"({"a":{"keep":[1],"list":[{"c":2},{}]}})");
}
