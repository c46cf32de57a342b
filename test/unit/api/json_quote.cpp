#include "text/json_text.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>

#include <kubecoro/test/catch.hpp>

using namespace kubecoro;

namespace {

std::string quote(std::string_view text)
{
    std::string out = "before";
    detail::append_quoted(out, text);
    return out;
}

std::string expected(std::string_view text) { return "before" + boost::json::serialize(boost::json::string(text)); }

} // namespace

TEST_CASE("a JSON string has the escapes that JSON demands, wherever the character is", "[json_quote]")
{
    for (std::size_t size = 0; size != 72; ++size) {
        CHECK(quote(std::string(size, 'a')) == expected(std::string(size, 'a')));
        for (std::size_t at = 0; at != size; ++at)
            for (int c = 0; c != 0x100; ++c) {
                std::string text(size, 'a');
                text[at] = static_cast<char>(c);
                if (quote(text) != expected(text)) FAIL(expected(text));
            }
    }
}

TEST_CASE("a JSON string may have several escapes, and characters beyond ASCII stay as they are", "[json_quote]")
{
    CHECK(quote("\"a\\\n\t\x01"
                "b\xc3\xa9\x7f\"") == R"(before"\"a\\\n\t\u0001b)"
                                      "\xc3\xa9\x7f"
                                      R"(\"")");
    CHECK(quote({}) == R"(before"")");
}
