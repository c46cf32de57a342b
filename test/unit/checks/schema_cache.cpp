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

TEST_CASE("schema cache core: a schema stays when it cannot be read again, unless there is none", "[checks]")
{
    const time_point t0{1h};
    const auto after = [&](cond why) {
        schema_cache_core core(10min);
        core.keep("a", any, t0);
        return core.keep_after(failure(why), "a", t0 + 20s).has_value();
    };
    CHECK(after(cond::retry_later));
    CHECK(after(cond::timed_out));
    CHECK(after(cond::forbidden));
    CHECK_FALSE(after(cond::not_found));
    CHECK_FALSE(after(cond::invalid));

    // It is used beyond its age, and the next attempt comes after ten seconds.
    schema_cache_core core(10min);
    core.keep("a", any, t0);
    CHECK(core.current("a", t0 + 10min) == nullptr);
    CHECK(core.keep_after(failure(cond::retry_later), "a", t0 + 10min));
    REQUIRE(core.current("a", t0 + 10min + 10s - 1ns) != nullptr);
    CHECK(core.current("a", t0 + 10min + 10s - 1ns)->schema);
    CHECK_FALSE(core.may_have_changed("a", t0 + 10min + 10s - 1ns));
    CHECK(core.current("a", t0 + 10min + 10s) == nullptr);
    CHECK(core.may_have_changed("a", t0 + 10min + 10s));
    CHECK_FALSE(core.keep_after(failure(cond::retry_later), "b", t0));
    CHECK_FALSE(core.current("b", t0)->schema);
}
