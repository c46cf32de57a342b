#include <kubecoro/api/resource.hpp>
#include <kubecoro/test/catch.hpp>

#include <string>

using namespace kubecoro;

TEST_CASE("resource version: integers of any length compare as numbers", "[api][resource_version]")
{
    CHECK((compare_versions("9", "10") < 0));
    CHECK((compare_versions("10", "9") > 0));
    CHECK((compare_versions("10", "10") == 0));
    CHECK((compare_versions("0", "1") < 0));
    const std::string beyond_64_bits = "340282366920938463463374607431768211456";
    CHECK((compare_versions(beyond_64_bits, "18446744073709551615") > 0));
    CHECK((compare_versions(beyond_64_bits, "340282366920938463463374607431768211457") < 0));
    CHECK(is_at_least("10", "9"));
    CHECK(is_at_least("10", "10"));
    CHECK_FALSE(is_at_least("9", "10"));
}

TEST_CASE("resource version: other versions are equal or unordered", "[api][resource_version]")
{
    CHECK((compare_versions("abc", "abc") == 0));
    CHECK((compare_versions("abc", "abd") == std::partial_ordering::unordered));
    CHECK((compare_versions("abc", "7") == std::partial_ordering::unordered));
    CHECK((compare_versions("007", "7") == std::partial_ordering::unordered));
    CHECK((compare_versions("-7", "7") == std::partial_ordering::unordered));
    CHECK((compare_versions("", "7") == std::partial_ordering::unordered));
    CHECK_FALSE(is_at_least("abd", "abc"));
    CHECK_FALSE(is_at_least("", "1"));
    CHECK(is_comparable_version("0"));
    CHECK_FALSE(is_comparable_version("00"));
    CHECK_FALSE(is_comparable_version(""));
}
