#include <kubecoro/base/printable.hpp>
#include <kubecoro/test/catch.hpp>

using kubecoro::printable;
using namespace std::string_literals;

TEST_CASE("printable: text of any language is unchanged", "[base][printable]")
{
    const std::string text =
        "a~ \xc2\xa0\xc3\xa4 \xe4\xb8\xad \xf0\x9f\x90\x99 \xe2\x80\xa6 \xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf";
    CHECK(printable(text) == text);
    CHECK(printable("").empty());
}

TEST_CASE("printable: nothing moves the cursor, reorders a line or begins another", "[base][printable]")
{
    CHECK(printable("a\x1b[31mb\r\nc\x7f\td"s) == "a [31mb  c  d");
    CHECK(printable("a\0b"s) == "a b");
    // C1: U+0080, U+009B (begins an escape sequence), U+009F.
    CHECK(printable("\xc2\x80|\xc2\x9b|\xc2\x9f|") == " | | |");
    // Marks that reorder: U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069; line ends: U+2028, U+2029.
    CHECK(printable("\xe2\x80\x8e|\xe2\x80\x8f|\xe2\x80\xae|\xe2\x81\xa6|\xe2\x81\xa9|\xe2\x80\xa8|") ==
          " | | | | | |");
    CHECK(printable("\xe2\x80\x8d\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa") ==
          "\xe2\x80\x8d\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa");
}

TEST_CASE("printable: a byte that is not UTF-8 becomes a space", "[base][printable]")
{
    CHECK(printable("a\x9b"
                    "b") == "a b");
    CHECK(printable("\xff|\xc0\x9b|\xc1\xbf|\xf5\x80\x80\x80|") == " |  |  |    |");
    // Truncated, overlong, a surrogate, beyond Unicode.
    CHECK(printable("\xe4\xb8") == "  ");
    CHECK(printable("\xe0\x82\x9b|\xed\xa0\x80|\xf4\x90\x80\x80|\xf0\x80\x82\x9b") == "   |   |    |    ");
    CHECK(printable("\xe4x\xb8") == " x ");
}

TEST_CASE("printable: a limit cuts between characters", "[base][printable]")
{
    CHECK(printable("abc", 2) == "ab");
    CHECK(printable("a\xc3\xa4"
                    "b",
                    2) == "a");
    CHECK(printable("a\xc3\xa4"
                    "b",
                    3) == "a\xc3\xa4");
    CHECK(printable("\x1b\x1b\x1b", 2) == "  ");
    CHECK(printable("abc", 0).empty());
}
