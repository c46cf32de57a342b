#include <kubecoro/base/kept_text.hpp>
#include <kubecoro/test/catch.hpp>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

using kubecoro::kept_text;

namespace {

std::string taken(kept_text text) { return text; }

} // namespace

TEST_CASE("kept_text: is made from a text of any kind, and copies a view")
{
    std::string source = "a name that is too long for a small string";
    const std::string expected = source;
    const kept_text kept = std::string_view(source);
    source[0] = 'b';
    CHECK(kept == expected);
    CHECK(taken("web") == "web");
    CHECK(taken(std::string("web")) == "web");
    CHECK(taken(std::string_view("web/jobs").substr(4)) == "jobs");
    CHECK(taken({}).empty());
    CHECK(taken("").empty());
    CHECK(taken(std::string("a\0b", 3)).size() == 3);
}

TEST_CASE("kept_text: takes a text over, and gives it on, without a copy")
{
    std::string source(100, 'x');
    const char* const content = source.data();
    kept_text kept = std::move(source);
    CHECK(kept.data() == content);
    const std::string given = std::move(kept);
    CHECK(given.data() == content);
}

TEST_CASE("kept_text: is not made from two texts, nor from a null pointer")
{
    CHECK_FALSE(std::is_constructible_v<kept_text, const char*, const char*>);
    CHECK_FALSE(std::is_constructible_v<kept_text, const char*, const char*, const char*>);
    CHECK_FALSE(std::is_constructible_v<kept_text, std::nullptr_t>);
}
