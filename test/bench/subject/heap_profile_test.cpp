#include "heap_profile.hpp"

#include <kubecoro/test/catch.hpp>

using namespace kubecoro::bench;

TEST_CASE("heap profile: heap and stacks in use")
{
    constexpr auto profile = "heap profile: 1: 2 [3: 4] @ heap/1048576\n"
                             "\n# runtime.MemStats\n# Alloc = 7\n# HeapAlloc = 1000\n# HeapSys = 5000\n"
                             "# Stack = 200 / 900\n";
    CHECK(memory_in_use(profile).value() == 1200);
}

TEST_CASE("heap profile: an answer that is none")
{
    CHECK(memory_in_use("Forbidden").error() == kubecoro::cond::corrupt);
    CHECK_FALSE(memory_in_use("\n# HeapAlloc = 1000\n").has_value());
    CHECK_FALSE(memory_in_use("\n# HeapAlloc = many\n# Stack = 1 / 2\n").has_value());
}
