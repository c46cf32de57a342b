#include <kubecoro/controller/rate_limiter.hpp>
#include <kubecoro/test/catch.hpp>

#include <chrono>

using namespace std::chrono_literals;
using kubecoro::duration;
using kubecoro::rate_limiter;
using kubecoro::time_point;

namespace {

duration ask(const std::unique_ptr<rate_limiter>& limiter, unsigned failures, duration since_start = 0s)
{
    return limiter->delay(failures, time_point{since_start});
}

/// The delay of a key that is really queued.
duration take(const std::unique_ptr<rate_limiter>& limiter, duration since_start, unsigned failures = 0)
{
    const auto d = ask(limiter, failures, since_start);
    limiter->taken(time_point{since_start});
    return d;
}

} // namespace

TEST_CASE("rate_limiter: exponential doubles from the first delay (ItemExponentialFailureRateLimiter)",
          "[rate_limiter]")
{
    const auto limiter = kubecoro::exponential_limiter(1ms, 1s);
    CHECK(ask(limiter, 0) == 1ms);
    CHECK(ask(limiter, 1) == 2ms);
    CHECK(ask(limiter, 2) == 4ms);
    CHECK(ask(limiter, 3) == 8ms);
    CHECK(ask(limiter, 4) == 16ms);
    CHECK(ask(limiter, 9) == 512ms);
    CHECK(ask(limiter, 10) == 1s);
    CHECK(ask(limiter, 0) == 1ms); // another key
}

TEST_CASE("rate_limiter: exponential never overflows (ItemExponentialFailureRateLimiterOverFlow)", "[rate_limiter]")
{
    const auto limiter = kubecoro::exponential_limiter(1ms, 1000s);
    for (unsigned failures : {20U, 33U, 50U, 62U, 63U, 64U, 1000U, 4'000'000'000U})
        CHECK(ask(limiter, failures) == 1000s);
    const auto widest = kubecoro::exponential_limiter(1min, duration::max());
    for (unsigned failures : {5U, 27U, 28U, 63U, 64U, 100U}) CHECK(ask(widest, failures) > 0s);
    CHECK(ask(widest, 64) == duration::max());
}

TEST_CASE("rate_limiter: the defaults are 5 ms to 1,000 s and a bucket of 10 per second with a burst of 100",
          "[rate_limiter]")
{
    const auto item = kubecoro::exponential_limiter();
    CHECK(ask(item, 0) == 5ms);
    CHECK(ask(item, 17) == 5ms * (1 << 17));
    CHECK(ask(item, 18) == 1000s);
    const auto both = kubecoro::default_controller_limiter();
    for (int n = 0; n < 100; ++n) REQUIRE(take(both, 0s) == 5ms);
    CHECK(take(both, 0s) == 100ms);
    CHECK(take(both, 0s) == 200ms);
    CHECK(ask(both, 20) == 1000s);
    CHECK(ask(kubecoro::default_item_limiter(), 0) == 1ms);
    CHECK(ask(kubecoro::default_item_limiter(), 30) == 1000s);
}

TEST_CASE("rate_limiter: fast, then slow (ItemFastSlowRateLimiter)", "[rate_limiter]")
{
    const auto limiter = kubecoro::fast_slow_limiter(5ms, 10s, 3);
    for (unsigned failures : {0U, 1U, 2U}) CHECK(ask(limiter, failures) == 5ms);
    for (unsigned failures : {3U, 4U, 100U}) CHECK(ask(limiter, failures) == 10s);
}

TEST_CASE("rate_limiter: a bucket is used up by taking, not by asking", "[rate_limiter]")
{
    const auto limiter = kubecoro::bucket_limiter(10, 2);
    for (int n = 0; n < 50; ++n) REQUIRE(ask(limiter, 0) == 0s);
    CHECK(take(limiter, 0s) == 0s);
    CHECK(take(limiter, 0s) == 0s);
    CHECK(take(limiter, 0s) == 100ms);
    CHECK(take(limiter, 0s) == 200ms);
    CHECK(take(limiter, 200ms) == 100ms); // two tokens came back, two are already taken
    CHECK(ask(limiter, 0, 10s) == 0s);
}

TEST_CASE("rate_limiter: a bucket never exceeds its burst, and a clock that goes back has no effect", "[rate_limiter]")
{
    const auto limiter = kubecoro::bucket_limiter(10, 2);
    CHECK(take(limiter, 1h) == 0s);
    CHECK(take(limiter, 3h) == 0s);
    CHECK(take(limiter, 3h) == 0s);
    CHECK(take(limiter, 3h) == 100ms);
    CHECK(ask(limiter, 0, 1h) == 200ms);
    CHECK(ask(limiter, 0, 3h) == 200ms);
}

TEST_CASE("rate_limiter: the longest delay of several (MaxOfRateLimiter)", "[rate_limiter]")
{
    std::vector<std::unique_ptr<rate_limiter>> both;
    both.push_back(kubecoro::fast_slow_limiter(5ms, 3s, 3));
    both.push_back(kubecoro::exponential_limiter(1ms, 1s));
    const auto limiter = kubecoro::max_of_limiter(std::move(both));
    CHECK(ask(limiter, 0) == 5ms);
    CHECK(ask(limiter, 2) == 5ms);
    CHECK(ask(limiter, 3) == 3s);
    CHECK(ask(kubecoro::max_of_limiter({}), 5) == 0s);
}

TEST_CASE("rate_limiter: a maximum delay (WithMaxWaitRateLimiter)", "[rate_limiter]")
{
    const auto limiter = kubecoro::max_wait_limiter(kubecoro::fast_slow_limiter(5ms, 100s, 3), 1s);
    CHECK(ask(limiter, 0) == 5ms);
    CHECK(ask(limiter, 3) == 1s);
    const auto bucket = kubecoro::max_wait_limiter(kubecoro::bucket_limiter(1, 1), 2s);
    CHECK(take(bucket, 0s) == 0s);
    CHECK(take(bucket, 0s) == 1s);
    CHECK(take(bucket, 0s) == 2s);
    CHECK(take(bucket, 0s) == 2s);
}
