// Which schemas of a server are kept, and for how long.
#include "check/schema_cache_core.hpp"

#include <kubecoro/test/catch.hpp>

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace std::chrono_literals;

namespace {

const object_schema any = object_schema::of_schema({{"type", "object"}}).value();

} // namespace

TEST_CASE("schema cache core: a schema has an age, and one that refuses has less", "[checks]")
{
    schema_cache_core core(10min);
    const time_point t0{1h};
    CHECK(core.current("a", t0) == nullptr);
    CHECK_FALSE(core.may_have_changed("a", t0));
    core.keep("a", any, t0);
    CHECK(core.current("a", t0 + 10min - 1ns)->schema);
    CHECK(core.current("a", t0 + 10min) == nullptr);
    CHECK(core.current("b", t0) == nullptr);
    CHECK_FALSE(core.may_have_changed("a", t0 + 10s - 1ns));
    CHECK(core.may_have_changed("a", t0 + 10s));
    core.keep("a", any, t0 + 10s);
    CHECK_FALSE(core.may_have_changed("a", t0 + 11s));
    schema_cache_core forever(0s);
    forever.keep("a", any, t0);
    CHECK(forever.current("a", t0 + 10'000h));
}

TEST_CASE("schema cache core: a kind without a schema is asked for again after ten seconds", "[checks]")
{
    schema_cache_core core(10min);
    const time_point t0{1h};
    core.keep("a", {}, t0);
    REQUIRE(core.current("a", t0 + 10s - 1ns) != nullptr);
    CHECK_FALSE(core.current("a", t0)->schema);
    CHECK(core.current("a", t0 + 10s) == nullptr);
}

TEST_CASE("schema cache core: the kind that was read first makes room", "[checks]")
{
    schema_cache_core core(10min);
    const time_point t0{1h};
    for (std::size_t i = 0; i < schema_cache_core::max_kinds; ++i)
        core.keep(std::to_string(i), any, t0 + std::chrono::milliseconds(i + 1));
    core.keep("0", any, t0 + 2s);
    CHECK(core.current("1", t0 + 2s) != nullptr);
    core.keep("one more", any, t0 + 3s);
    CHECK(core.current("1", t0 + 3s) == nullptr);
    CHECK(core.current("0", t0 + 3s) != nullptr);
    CHECK(core.current("2", t0 + 3s) != nullptr);
}
