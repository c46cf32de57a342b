#include <kubecoro/http/detail/client_turns.hpp>

#include <kubecoro/test/catch.hpp>

#include <array>
#include <list>
#include <map>
#include <random>

namespace asio = boost::asio;
using namespace kubecoro;
using namespace std::chrono_literals;
using detail::client_id;
using detail::client_of;
using detail::client_turns;
using step = client_turns::step;

namespace {

struct waiter final : detail::turn_waiter
{
    void on_turn() override {}
};

client_id id(std::size_t n)
{
    return client_of(asio::ip::make_address_v4(static_cast<asio::ip::address_v4::uint_type>(n)));
}

const time_point now{1h};
const auto flood = id(1), scraper = id(2), third = id(3);

} // namespace

TEST_CASE("client_turns: a client is an address of IPv4, or a network of IPv6", "[http][turns]")
{
    const auto of = [](const char* text) { return client_of(asio::ip::make_address(text)); };
    CHECK(of("10.0.0.1") == of("::ffff:10.0.0.1"));
    CHECK(of("10.0.0.1") != of("10.0.0.2"));
    CHECK(of("fd00:1:2:3::1") == of("fd00:1:2:3:ffff::2"));
    CHECK(of("fd00:1:2:3::1") != of("fd00:1:2:4::1"));
}

TEST_CASE("client_turns: units are granted while there are some, then by turns of addresses", "[http][turns]")
{
    client_turns turns({.units = 2});
    std::array<waiter, 6> of_flood;
    waiter of_scraper;
    CHECK(turns.ask(flood, of_flood[0], now) == step::granted);
    CHECK(turns.ask(flood, of_flood[1], now) == step::granted);
    for (std::size_t i = 2; i < 6; ++i) CHECK(turns.ask(flood, of_flood[i], now) == step::waits);
    CHECK(turns.ask(scraper, of_scraper, now) == step::waits);
    CHECK_FALSE(turns.next(now));
    turns.give_back(flood);
    CHECK(turns.next(now) == &of_flood[2]); // it waited first
    turns.give_back(flood);
    CHECK(turns.next(now) == &of_scraper); // before the other four
    CHECK_FALSE(turns.next(now));
    CHECK(turns.held_by(scraper) == 1);
    turns.give_back(scraper);
    CHECK(turns.next(now) == &of_flood[3]);
    CHECK(turns.used() == 2);
}

TEST_CASE("client_turns: turns begin while there is time, and none before those that wait", "[http][turns]")
{
    client_turns turns({.units = 1}, detail::render_budget(0.1));
    waiter a, b, c;
    CHECK(turns.ask(flood, a, now) == step::granted);
    turns.spend(now, now + 200ms);
    turns.give_back(flood);
    const auto later = now + 200ms;
    CHECK(turns.ask(flood, b, later) == step::waits);
    CHECK_FALSE(turns.next(later));
    CHECK(turns.due(later) > later + 999ms); // 100 ms owed, a tenth of the time
    CHECK(turns.due(later) < later + 1001ms);
    CHECK(turns.ask(scraper, c, later + 10s) == step::waits);
    CHECK(turns.next(later + 1001ms) == &b);
    CHECK(turns.due(later + 1001ms) == time_point::max()); // no room: time alone does not help
    CHECK_FALSE(turns.next(later + 10s));
    turns.give_back(flood);
    CHECK(turns.next(later + 10s) == &c);
}

TEST_CASE("client_turns: a number of them begins in a second, and some at once", "[http][turns]")
{
    client_turns turns({}, 50, 11);
    auto at = now;
    waiter w;
    int begun = 0;
    const auto begin_all = [&] {
        for (; turns.ask(flood, w, at, 0) == step::granted; ++begun) continue;
        turns.leave(flood, w);
    };
    begin_all();
    CHECK(begun == 11);
    begun = 0;
    for (const auto end = at + 10s; at < end; at += 1ms) begin_all();
    CHECK(begun >= 499);
    CHECK(begun <= 501);
    client_turns free({}, 0, 0);
    for (int i = 0; i < 10'000; ++i) CHECK(free.ask(flood, w, now, 0) == step::granted);
}

TEST_CASE("client_turns: a large want is not overtaken by small ones, and one that never fits is refused",
          "[http][turns]")
{
    client_turns turns({.units = 10});
    waiter a, large, small;
    CHECK(turns.ask(flood, a, now, 11) == step::refused);
    CHECK(turns.ask(flood, a, now, 3) == step::granted);
    CHECK(turns.ask(scraper, large, now, 10) == step::waits);
    CHECK(turns.ask(third, small, now, 1) == step::waits);
    CHECK_FALSE(turns.next(now));
    turns.give_back(flood, 3);
    CHECK(turns.next(now) == &large);
    CHECK_FALSE(turns.next(now));
    turns.give_back(scraper, 10);
    CHECK(turns.next(now) == &small);
}

TEST_CASE("client_turns: one that has left has no turn, and leaves nothing behind", "[http][turns]")
{
    client_turns turns({.units = 1});
    std::array<waiter, 3> w;
    CHECK(turns.ask(flood, w[0], now) == step::granted);
    CHECK(turns.ask(scraper, w[1], now) == step::waits);
    CHECK(turns.ask(scraper, w[2], now) == step::waits);
    turns.leave(scraper, w[1]);
    turns.leave(third, w[1]);
    turns.give_back(flood);
    CHECK(turns.next(now) == &w[2]);
    turns.give_back(scraper);
    CHECK_FALSE(turns.waiting());
    CHECK(turns.ask(flood, w[0], now) == step::granted);
    CHECK(turns.ask(scraper, w[1], now) == step::waits);
    turns.leave(scraper, w[1]);
    CHECK_FALSE(turns.waiting());
}

TEST_CASE("client_turns: waiters of an address and addresses that wait have limits", "[http][turns]")
{
    client_turns turns({.units = 1, .addresses = 2, .waiters = 3});
    std::array<waiter, 9> w;
    CHECK(turns.ask(flood, w[0], now) == step::granted);
    for (std::size_t i = 1; i < 4; ++i) CHECK(turns.ask(flood, w[i], now) == step::waits);
    CHECK(turns.ask(flood, w[4], now) == step::refused);
    CHECK(turns.ask(scraper, w[5], now) == step::waits);
    CHECK(turns.ask(third, w[6], now) == step::refused);
    turns.leave(scraper, w[5]);
    CHECK(turns.ask(third, w[6], now) == step::waits);
}

TEST_CASE("client_turns: an address that has more than another one would have is displaced", "[http][turns]")
{
    client_turns turns({.units = 4});
    std::array<waiter, 6> w;
    CHECK(turns.ask(third, w[0], now) == step::granted);
    for (std::size_t i = 1; i < 4; ++i) CHECK(turns.ask(flood, w[i], now) == step::granted);
    CHECK_FALSE(turns.displaced()); // none waits
    CHECK(turns.ask(scraper, w[4], now) == step::waits);
    CHECK(turns.displaced() == flood);
    turns.give_back(flood);
    CHECK_FALSE(turns.displaced()); // there is room
    CHECK(turns.next(now) == &w[4]);
    CHECK(turns.ask(scraper, w[5], now) == step::waits);
    CHECK_FALSE(turns.displaced()); // two each would only change places
}

TEST_CASE("client_turns: a holder may grow while there is room", "[http][turns]")
{
    client_turns turns({.units = 10});
    waiter w;
    CHECK(turns.ask(flood, w, now, 4) == step::granted);
    CHECK(turns.resize(flood, 4, 10));
    CHECK_FALSE(turns.resize(flood, 10, 11));
    CHECK(turns.used() == 10);
    CHECK(turns.resize(flood, 10, 1));
    CHECK(turns.held_by(flood) == 1);
    turns.give_back(flood, 1);
    CHECK(turns.used() == 0);
}

TEST_CASE("client_turns: whatever others do, an address that waits has its turn after those before it", "[http][turns]")
{
    const auto seed = std::random_device()();
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto upto = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n)(random); };
    for (int round = 0; round < 50; ++round) {
        const client_turns::limits limits{.units = 1 + upto(5), .addresses = 1 + upto(9), .waiters = 1 + upto(4)};
        client_turns turns(limits);
        std::list<waiter> all;
        // The model: waiters of each address in order, grants since the address began to wait for its turn, and how many may be.
        std::map<std::size_t, std::list<waiter*>> waiting;
        std::map<std::size_t, std::size_t> passed, most;
        std::map<std::size_t, std::size_t> held;
        std::size_t used = 0;
        const auto granted = [&](std::size_t to) {
            ++held[to];
            ++used;
            for (auto& [client, n] : passed)
                if (client != to) REQUIRE(++n <= most[client]);
        };
        for (int at = 0; at < 400; ++at) {
            const auto client = upto(14);
            switch (upto(3)) {
            case 0:
            case 1: {
                auto& w = all.emplace_back();
                const bool full = waiting[client].size() >= limits.waiters ||
                                  (waiting[client].empty() && passed.size() >= limits.addresses);
                const bool at_once = passed.empty() && used < limits.units;
                const auto said = turns.ask(id(client), w, now);
                REQUIRE(said == (at_once ? step::granted : full ? step::refused : step::waits));
                if (said == step::granted) granted(client);
                if (said != step::waits) break;
                waiting[client].push_back(&w);
                if (waiting[client].size() > 1) break;
                most[client] = passed.size();
                passed[client] = 0;
                break;
            }
            case 2: {
                if (waiting[client].empty()) break;
                auto gone =
                    std::next(waiting[client].begin(), static_cast<std::ptrdiff_t>(upto(waiting[client].size() - 1)));
                turns.leave(id(client), **gone);
                waiting[client].erase(gone);
                if (waiting[client].empty()) passed.erase(client);
                break;
            }
            default:
                if (held[client] == 0) break;
                turns.give_back(id(client));
                --held[client];
                --used;
            }
            while (auto* w = turns.next(now)) {
                const auto of = std::find_if(waiting.begin(), waiting.end(),
                                             [&](const auto& c) { return !c.second.empty() && c.second.front() == w; });
                REQUIRE(of != waiting.end());
                of->second.pop_front();
                passed.erase(of->first);
                granted(of->first);
                if (of->second.empty()) continue;
                most[of->first] = passed.size();
                passed[of->first] = 0;
            }
            REQUIRE(turns.used() == used);
            REQUIRE(used <= limits.units);
            REQUIRE(turns.waiting() == !passed.empty());
            REQUIRE((passed.empty() || used == limits.units));
            for (const auto& [c, n] : held) REQUIRE(turns.held_by(id(c)) == n);
        }
    }
}
