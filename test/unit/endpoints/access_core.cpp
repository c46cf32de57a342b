#include "access/access_core.hpp"
#include "access/tokens.hpp"

#include <kubecoro/test/catch.hpp>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

using namespace kubecoro;
using namespace std::chrono_literals;
using detail::access_core;
using step = access_core::step;

namespace {

detail::access_digest digest(std::size_t n)
{
    detail::access_digest out{};
    std::memcpy(out.data(), &n, sizeof n);
    return out;
}

struct caller final : detail::turn_waiter
{
    void on_turn() override {}
};
caller any;
const auto flood = detail::client_of(boost::asio::ip::make_address("10.0.0.1"));
const auto scraper = detail::client_of(boost::asio::ip::make_address("10.0.0.2"));

/// A request of which no further one is expected: it takes no place in the line.
step ask(access_core& core, const detail::access_digest& of, time_point now, const detail::client_id& client = flood)
{
    const auto said = core.on_request(of, client, any, now);
    if (said == step::turn) core.on_left(of, client, any, false);
    return said;
}

constexpr access_core::limits limits{60s, 10s, 8, 2, 4};
const time_point start{1h};

} // namespace

TEST_CASE("access_core: a verdict is used again until it expires", "[endpoints][access]")
{
    access_core core(limits);
    const auto a = digest(1), b = digest(2), c = digest(3);
    auto now = start;
    for (const auto& [of, verdict, said, kept] :
         {std::tuple{a, access_verdict::allowed, step::allowed, duration(60s)},
          std::tuple{b, access_verdict::forbidden, step::forbidden, duration(10s)},
          std::tuple{c, access_verdict::unauthenticated, step::unauthenticated, duration(10s)}}) {
        REQUIRE(ask(core, of, now) == step::review);
        core.on_reviewed(of, verdict, now);
        CHECK(ask(core, of, now + kept - 1ns) == said);
        now += kept;
        REQUIRE(ask(core, of, now) == step::review);
        core.on_reviewed(of, verdict, now);
    }
}

TEST_CASE("access_core: equal requests share a review, and few wait for one", "[endpoints][access]")
{
    access_core core(limits);
    CHECK(ask(core, digest(1), start) == step::review);
    for (int i = 0; i < 32; ++i) CHECK(ask(core, digest(1), start) == step::wait);
    CHECK(ask(core, digest(1), start) == step::busy);
    CHECK(ask(core, digest(1), start, scraper) == step::wait); // those of another address
    core.on_waited(scraper);
    core.on_waited(flood);
    CHECK(ask(core, digest(1), start) == step::wait);
    core.on_reviewed(digest(1), access_verdict::allowed, start);
    CHECK(ask(core, digest(1), start) == step::allowed);
}

TEST_CASE("access_core: strangers have few reviews at once and in a second", "[endpoints][access]")
{
    access_core core(limits);
    CHECK(ask(core, digest(1), start) == step::review);
    CHECK(ask(core, digest(2), start) == step::review);
    CHECK(ask(core, digest(3), start) == step::turn); // two at once
    core.on_reviewed(digest(1), access_verdict::unauthenticated, start);
    CHECK(ask(core, digest(3), start) == step::review);
    core.on_failed(digest(3));
    core.on_failed(digest(2));
    CHECK(ask(core, digest(4), start) == step::review);
    core.on_failed(digest(4));
    CHECK(ask(core, digest(5), start) == step::turn); // four in a second
    CHECK(ask(core, digest(5), start + 249ms) == step::turn);
    CHECK(ask(core, digest(5), start + 250ms) == step::review);
    CHECK(core.size() == 2); // failures leave nothing behind
}

TEST_CASE("access_core: a flood of random tokens delays those of another address by one turn", "[endpoints][access]")
{
    access_core core(limits); // two at once, four in a second
    std::vector<caller> flooding(100);
    std::vector<step> said;
    for (std::size_t i = 0; i < flooding.size(); ++i)
        said.push_back(core.on_request(digest(i), flood, flooding[i], start));
    CHECK(std::ranges::count(said, step::review) == 2);
    CHECK(std::ranges::count(said, step::turn) == 32);
    CHECK(std::ranges::count(said, step::busy) == 66);
    caller own;
    const auto renewed = digest(1000);
    REQUIRE(core.on_request(renewed, scraper, own, start) == step::turn);
    CHECK(ask(core, renewed, start) == step::wait); // another caller shares its review
    core.on_waited(flood);
    CHECK_FALSE(core.next(start));
    core.on_failed(digest(0));
    CHECK(core.next(start) == &flooding[2]);
    core.on_turn(digest(2), flood);
    CHECK_FALSE(core.next(start));
    core.on_failed(digest(1));
    REQUIRE(core.next(start) == &own);
    core.on_turn(renewed, scraper);
    core.on_reviewed(renewed, access_verdict::allowed, start);
    CHECK(ask(core, renewed, start, scraper) == step::allowed);
    // Four have begun: the next one in a quarter of a second. One that gives its turn up passes it on.
    CHECK_FALSE(core.next(start));
    CHECK(core.due(start) <= start + 250ms);
    REQUIRE(core.next(start + 250ms) == &flooding[3]);
    core.on_left(digest(3), flood, flooding[3], true);
    core.on_left(digest(4), flood, flooding[4], false);
    CHECK(core.next(start + 500ms) == &flooding[5]);
}

TEST_CASE("access_core: a token that replaces an allowed one is a stranger", "[endpoints][access]")
{
    access_core core(limits);
    const auto known = digest(1000), next = digest(1001);
    REQUIRE(ask(core, known, start) == step::review);
    core.on_reviewed(known, access_verdict::allowed, start);
    const auto later = start + limits.keep_allowed;
    for (std::size_t i = 0; i < limits.max_reviews; ++i) REQUIRE(ask(core, digest(i), later) == step::review);
    CHECK(ask(core, next, later) == step::turn);
    CHECK(ask(core, known, later) == step::review);
}

TEST_CASE("access_core: a flood of strangers does not lock out a token that was allowed before", "[endpoints][access]")
{
    access_core core(limits);
    const auto known = digest(1000);
    REQUIRE(ask(core, known, start) == step::review);
    core.on_reviewed(known, access_verdict::allowed, start);
    std::size_t next = 1;
    std::size_t reviews = 0;
    for (auto now = start; now < start + 10min; now += 10ms) {
        for (int i = 0; i < 3; ++i) {
            const auto stranger = digest(next++);
            if (ask(core, stranger, now) != step::review) continue;
            ++reviews;
            core.on_reviewed(stranger, access_verdict::unauthenticated, now);
        }
        const auto own = ask(core, known, now);
        REQUIRE((own == step::allowed || own == step::review));
        if (own == step::review) core.on_reviewed(known, access_verdict::allowed, now);
        REQUIRE(core.size() <= limits.max_verdicts);
    }
    CHECK(reviews <= 4 * 600 + 4);
    // Long after its verdict it is a stranger again, and so is one that was refused.
    const auto later = start + 21min;
    CHECK(ask(core, digest(next), later) == step::review);
    CHECK(ask(core, digest(next + 1), later) == step::review);
    CHECK(ask(core, known, later) == step::turn);
    core.on_failed(digest(next));
    REQUIRE(ask(core, known, later) == step::review);
    core.on_reviewed(known, access_verdict::unauthenticated, later);
    CHECK(ask(core, digest(next), later + 20s) == step::review);
    CHECK(ask(core, known, later + 20s) == step::turn);
}

TEST_CASE("access_core: refusals are forgotten before what is allowed, the least recently used first",
          "[endpoints][access]")
{
    access_core core({60s, 60s, 4, 8, 1000});
    for (std::size_t i = 0; i < 4; ++i) {
        REQUIRE(ask(core, digest(i), start) == step::review);
        core.on_reviewed(digest(i), i < 2 ? access_verdict::allowed : access_verdict::forbidden, start);
    }
    CHECK(ask(core, digest(2), start) == step::forbidden); // used: 3 is older now
    REQUIRE(ask(core, digest(4), start) == step::review);
    core.on_reviewed(digest(4), access_verdict::allowed, start);
    CHECK(ask(core, digest(2), start) == step::forbidden);
    REQUIRE(ask(core, digest(5), start) == step::review); // forgets 2
    core.on_reviewed(digest(5), access_verdict::allowed, start);
    CHECK(ask(core, digest(1), start) == step::allowed);
    REQUIRE(ask(core, digest(6), start) == step::review); // forgets 0
    core.on_failed(digest(6));
    CHECK(ask(core, digest(1), start) == step::allowed);
    CHECK(ask(core, digest(0), start) == step::review);
}

TEST_CASE("access_core: against any sequence the bounds hold and no review is lost", "[endpoints][access]")
{
    const auto seed = std::random_device()();
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto upto = [&](unsigned n) { return std::uniform_int_distribution<unsigned>(0, n)(random); };
    access_core core(limits);
    std::set<std::size_t> reviewed;
    std::size_t waiting = 0;
    auto now = start;
    for (int i = 0; i < 20'000; ++i) {
        now += std::chrono::milliseconds(upto(2000));
        const std::size_t n = upto(30);
        switch (ask(core, digest(n), now)) {
        case step::review:
            REQUIRE(reviewed.insert(n).second);
            break;
        case step::wait:
            REQUIRE(reviewed.count(n) == 1);
            ++waiting;
            break;
        case step::turn: // left by ask()
            REQUIRE(reviewed.count(n) == 0);
            break;
        default:
            REQUIRE(reviewed.count(n) * unsigned(waiting < 32) == 0);
        }
        if (waiting > 0 && upto(1) == 0) {
            core.on_waited(flood);
            --waiting;
        }
        if (!reviewed.empty() && upto(2) == 0) {
            const auto ended = *reviewed.begin();
            reviewed.erase(reviewed.begin());
            if (upto(3) == 0)
                core.on_failed(digest(ended));
            else
                core.on_reviewed(digest(ended), static_cast<access_verdict>(upto(2)), now);
        }
        REQUIRE(core.size() <= limits.max_verdicts + reviewed.size());
    }
}

TEST_CASE("token_digest: only the token of a Bearer header that can be one is taken", "[endpoints][access]")
{
    using detail::bearer_token;
    CHECK(bearer_token("Bearer abc") == "abc");
    CHECK(bearer_token("bEARER   a.b-c_d~e+f/g=") == "a.b-c_d~e+f/g=");
    for (const char* other : {"", "Bearer", "Bearer ", "Basic abc", "abc", "Bearer a b", "Bearer a\tb",
                              "Bearer \xc3\xa4", "Bearer a,b", "Bearerabc"})
        CHECK(bearer_token(other).empty());
}

TEST_CASE("token_digest: the digest depends on token, path and the key of this process", "[endpoints][access]")
{
    const auto one = detail::token_hash::make().value(), two = detail::token_hash::make().value();
    CHECK(one.of("t", "/metrics") == one.of("t", "/metrics"));
    CHECK(one.of("t", "/metrics") != one.of("u", "/metrics"));
    CHECK(one.of("t", "/metrics") != one.of("t", "/debug"));
    CHECK(one.of("t", "/metrics") != two.of("t", "/metrics"));
}
