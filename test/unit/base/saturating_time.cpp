#include <kubecoro/base/backoff.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/test/catch.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

using kubecoro::duration;
using kubecoro::saturated;
using kubecoro::saturating_sum;
using kubecoro::time_after;
using kubecoro::time_point;
using namespace std::chrono_literals;

TEST_CASE("later: sums saturate", "[base][clock]")
{
    CHECK(saturating_sum(1s, 2s) == 3s);
    CHECK(saturating_sum(1s, -2s) == -1s);
    CHECK(saturating_sum(duration::max(), 1ns) == duration::max());
    CHECK(saturating_sum(1ns, duration::max()) == duration::max());
    CHECK(saturating_sum(duration::max(), duration::max()) == duration::max());
    CHECK(saturating_sum(duration::max(), 0ns) == duration::max());
    CHECK(saturating_sum(duration::min(), -1ns) == duration::min());
    CHECK(saturating_sum(duration::min(), duration::max()) == -1ns);

    const time_point now(5s);
    CHECK(time_after(now, 1s) == time_point(6s));
    CHECK(time_after(now, duration::max()) == time_point::max());
    CHECK(time_after(now, duration::max() - 5s) == time_point::max());
    CHECK(time_after(now, duration::max() - 6s) == time_point::max() - 1s);
}

TEST_CASE("later: units beyond the range of a duration become the longest one", "[base][clock]")
{
    CHECK(saturated(7s) == 7s);
    CHECK(saturated(-7s) == -7s);
    CHECK(saturated(std::chrono::seconds::max()) == duration::max());
    CHECK(saturated(std::chrono::seconds::min()) < -duration::max() + 1s);
    CHECK(saturated(2h) == 2h);
    CHECK(saturated(-3ms) == -3ms);
    CHECK(saturated(std::chrono::hours::max()) == duration::max());
    CHECK(saturated(std::chrono::hours::min()) < -duration::max() + 1h);
    CHECK(saturated(std::chrono::milliseconds::max()) == duration::max());
    CHECK(saturated(std::chrono::duration<int>::max()) == std::chrono::seconds(std::numeric_limits<int>::max()));
    CHECK(saturated(duration::max()) == duration::max());
}

TEST_CASE("backoff: the longest durations are left unchanged", "[base][backoff]")
{
    kubecoro::backoff delays({.initial = duration::max(), .factor = 2, .cap = duration::max(), .jitter = 1});
    for (int i = 0; i < 3; ++i) CHECK(delays.next() == duration::max());
    kubecoro::backoff growing({.initial = 1s, .factor = 1e9, .cap = duration::max(), .jitter = 0});
    CHECK(growing.next() == 1s);
    CHECK(growing.next() == 1'000'000'000s);
    CHECK(growing.next() == duration::max());
    CHECK(growing.next() == duration::max());
}

TEST_CASE("saturating_duration: keeps what a duration can hold, and saturates what it cannot")
{
    using kubecoro::saturating_duration;
    constexpr saturating_duration none;
    STATIC_REQUIRE(none == 0s);
    STATIC_REQUIRE(saturating_duration(10min) == 10min);
    STATIC_REQUIRE(saturating_duration(duration(-7)) == duration(-7));
    CHECK(saturating_duration(std::chrono::hours::max()) == duration::max());
    STATIC_REQUIRE(saturating_duration(std::chrono::hours::min()) < -1h);
    STATIC_REQUIRE(saturating_duration(std::chrono::duration<unsigned>(7)) == 7s);
    CHECK(saturating_duration(std::chrono::duration<std::uint64_t>::max()) == duration::max());
    STATIC_REQUIRE(std::is_convertible_v<std::chrono::hours, saturating_duration>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<std::chrono::duration<double>, saturating_duration>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<int, saturating_duration>);
}
