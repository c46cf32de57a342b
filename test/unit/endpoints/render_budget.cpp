#include "server/http_answer.hpp"

#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/virtual_clock.hpp>

#include <limits>
#include <stdexcept>

using namespace kubecoro;
using detail::render_budget;
using detail::rendered_page;
using namespace std::chrono_literals;

TEST_CASE("render_budget: pages are made for a share of the time that passes, and 100 ms at once", "[endpoints]")
{
    render_budget budget(0.1);
    time_point now{};
    CHECK(budget.has_time(now));
    budget.spend(now, now + 60ms);
    now += 60ms;
    CHECK(budget.has_time(now));
    budget.spend(now, now + 60ms); // 20 ms more than there were
    now += 60ms;
    CHECK_FALSE(budget.has_time(now + 199ms));
    CHECK(budget.has_time(now + 202ms));
    // Rest saves up to 100 ms.
    now += 1h;
    CHECK(budget.has_time(now));
    budget.spend(now, now + 100ms);
    CHECK_FALSE(budget.has_time(now + 100ms));
}

TEST_CASE("render_budget: under a flood the pages take their share and no more", "[endpoints]")
{
    render_budget budget(0.1);
    const time_point start{};
    duration made{};
    for (time_point now = start; now < start + 60s; now += 1ms) {
        if (!budget.has_time(now)) continue;
        budget.spend(now, now + 7ms);
        made += 7ms;
        now += 7ms;
    }
    CHECK(made < 6s + 120ms);
    // no credit for the time in which they are made
    CHECK(made > 5400ms);
}

TEST_CASE("render_budget: a suspended program owes a second at most, a clock that goes back costs nothing",
          "[endpoints]")
{
    render_budget budget(0.1);
    const time_point now{1000h};
    budget.spend(now, now + 24h);
    CHECK_FALSE(budget.has_time(now + 24h + 9s));
    CHECK(budget.has_time(now + 24h + 10s + 1ms));
    render_budget other(0.1);
    other.spend(now, now - 24h);
    CHECK(other.has_time(now));
}

TEST_CASE("render_budget: a share is at least a hundredth, and 1 is no limit", "[endpoints]")
{
    for (const double share : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
        render_budget budget(share);
        const time_point now{};
        budget.spend(now, now + 200ms);
        CHECK_FALSE(budget.has_time(now + 200ms));
        CHECK(budget.has_time(now + 200ms + 10s + 1ms));
    }
    render_budget free(1);
    const time_point now{};
    for (int i = 0; i < 100; ++i) free.spend(now, now + 1h);
    CHECK(free.has_time(now));
}

TEST_CASE("render_budget: the wait ends when a page may be made, and is a millisecond at least", "[endpoints]")
{
    render_budget budget(0.5, 3s);
    time_point now{};
    CHECK(budget.wait(now) == duration::zero());
    budget.spend(now, now + 3100ms);
    now += 3100ms;
    const auto wait = budget.wait(now);
    CHECK(wait >= 199ms);
    CHECK(wait <= 201ms);
    CHECK(budget.wait(now + wait - 1us) == 1ms);
    CHECK(budget.wait(now + wait + 1us) == duration::zero());
    render_budget free(1);
    free.spend(now, now + 1h);
    CHECK(free.wait(now) == duration::zero());
}

TEST_CASE("rendered_page: it is made for each request within the budget, and then served again", "[endpoints]")
{
    testing::virtual_clock clock;
    rendered_page page(0.1);
    int made = 0;
    const auto make = [&] {
        clock.advance(200ms);
        return std::to_string(++made) + std::string(5000, 'x');
    };
    const auto first = page.get(clock, false, make);
    CHECK_FALSE(first.repeated);
    const auto again = page.get(clock, false, make);
    CHECK(again.repeated);
    CHECK(again.body == first.body); // the same bytes, not a copy
    const auto packed = page.get(clock, true, make);
    CHECK(packed.compressed);
    CHECK(packed.repeated);
    CHECK(packed.body->size() < 500);
    CHECK(page.get(clock, true, make).body == packed.body); // compressed once
    CHECK(made == 1);
    clock.advance(1001ms);
    CHECK(page.get(clock, true, make).compressed);
    CHECK(made == 2);
}

TEST_CASE("rendered_page: a page is at most 10 s old, however small the share is and long its making", "[endpoints]")
{
    testing::virtual_clock clock;
    rendered_page page(0.01);
    int made = 0;
    const auto slow = [&] {
        clock.advance(2s);
        return std::to_string(++made);
    };
    CHECK(page.get(clock, false, slow).age == duration::zero());
    clock.advance(7s);
    const auto again = page.get(clock, false, slow);
    CHECK(again.repeated);
    CHECK(again.age == 9s);
    clock.advance(1s);
    CHECK_FALSE(page.get(clock, false, slow).repeated);
    CHECK(made == 2);
}

TEST_CASE("rendered_page: nothing is kept while there is time", "[endpoints]")
{
    testing::virtual_clock clock;
    rendered_page page(0.1);
    const auto made = page.get(clock, true, [] { return std::string(5000, 'x'); });
    CHECK(made.body.use_count() == 1);
    CHECK_FALSE(made.repeated);
    CHECK_FALSE(page.get(clock, true, [] { return std::string("small"); }).compressed);
}

TEST_CASE("rendered_page: a page that fails costs what it took, and the last one is served until then", "[endpoints]")
{
    testing::virtual_clock clock;
    rendered_page page(0.1);
    const auto slow = [&] {
        clock.advance(150ms);
        return std::string("page");
    };
    const auto failing = [&]() -> std::string {
        clock.advance(150ms);
        throw std::runtime_error("no");
    };
    CHECK(*page.get(clock, false, slow).body == "page");
    clock.advance(600ms);
    CHECK_THROWS_AS(page.get(clock, false, failing), std::runtime_error);
    CHECK(page.get(clock, false, failing).repeated);
}
