#include <kubecoro/base/backoff.hpp>
#include <kubecoro/test/catch.hpp>

using kubecoro::backoff;
using kubecoro::backoff_policy;
using kubecoro::duration;
using namespace std::chrono_literals;

TEST_CASE("backoff: without jitter the delays double up to the cap", "[base][backoff]")
{
    backoff b(backoff_policy{.initial = 800ms, .factor = 2, .cap = 5s, .jitter = 0});
    CHECK(b.attempts() == 0);
    CHECK(b.next() == 800ms);
    CHECK(b.next() == 1600ms);
    CHECK(b.next() == 3200ms);
    CHECK(b.next() == 5s);
    CHECK(b.next() == 5s);
    CHECK(b.attempts() == 5);
}

TEST_CASE("backoff: only reset() returns to the first delay", "[base][backoff]")
{
    backoff b(backoff_policy{.initial = 1s, .factor = 3, .cap = 30s, .jitter = 0});
    (void)b.next();
    (void)b.next();
    b.reset();
    CHECK(b.attempts() == 0);
    CHECK(b.next() == 1s);
    CHECK(b.next() == 3s);
}

TEST_CASE("backoff: two without a seed do not return together", "[base][backoff]")
{
    const backoff_policy policy{.initial = 1s, .factor = 1, .cap = 1s, .jitter = 0.5};
    CHECK(backoff(policy).next() != backoff(policy).next());
    CHECK(backoff(policy, 7).next() == backoff(policy, 7).next());
}

TEST_CASE("backoff: jitter stays between the delay and its multiple, and the seed determines it", "[base][backoff]")
{
    const backoff_policy policy{.initial = 1s, .factor = 1, .cap = 1s, .jitter = 0.5};
    backoff a(policy, 7);
    backoff b(policy, 7);
    backoff c(policy, 8);
    bool differs = false;
    bool varies = false;
    duration before = a.next();
    CHECK(before == b.next());
    differs |= before != c.next();
    for (int i = 0; i < 100; ++i) {
        const auto d = a.next();
        CHECK(d >= 1s);
        CHECK(d <= 1500ms);
        CHECK(d == b.next());
        differs |= d != c.next();
        varies |= d != before;
        before = d;
    }
    CHECK(differs);
    CHECK(varies);
}

TEST_CASE("backoff: a permanent outage stays at the longest delay and never overflows", "[base][backoff]")
{
    backoff b(backoff_policy{.initial = 1ns, .factor = 1e9, .cap = duration::max(), .jitter = 1});
    for (int i = 0; i < 200; ++i) CHECK(b.next() > duration::zero());
    backoff capped(backoff_policy{.initial = 10s, .factor = 2, .cap = 3s, .jitter = 0});
    CHECK(capped.next() == 3s);
    CHECK(capped.next() == 3s);
}

TEST_CASE("backoff: delays never shrink, for any factor", "[base][backoff]")
{
    backoff b(backoff_policy{.initial = 1s, .factor = 0.1, .cap = 30s, .jitter = 0});
    CHECK(b.next() == 1s);
    CHECK(b.next() == 1s);
}
