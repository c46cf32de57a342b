#include "server/handshake_turns.hpp"

#include <kubecoro/test/catch.hpp>

#include <array>

namespace asio = boost::asio;
using namespace kubecoro;
using detail::client_of;
using detail::handshake_turns;
using namespace std::chrono_literals;

namespace {

const auto flood = client_of(asio::ip::make_address("10.0.0.1"));
const auto kubelet = client_of(asio::ip::make_address("10.0.0.2"));

} // namespace

TEST_CASE("handshake_turns: the limit counts by the second, and a fifth of it may begin at once", "[endpoints]")
{
    handshake_turns turns(50);
    const time_point now{};
    int begun = 0;
    while (turns.take(now)) ++begun;
    CHECK(begun == 11);
    begun = 0;
    for (auto at = now; at < now + 10s; at += 1ms) begun += turns.take(at) ? 1 : 0;
    CHECK(begun >= 499);
    CHECK(begun <= 500);
}

TEST_CASE("handshake_turns: clients have turns, so that a flood of one delays no other", "[endpoints]")
{
    handshake_turns turns(4);
    time_point now{};
    while (turns.take(now)) continue;
    const std::array<char, 100> flooding{};
    const char probe = 0;
    for (const char& c : flooding) turns.wait(flood, &c);
    turns.wait(kubelet, &probe);
    CHECK_FALSE(turns.next(now));
    CHECK_FALSE(turns.take(now + 1h)); // never before those that wait
    now = turns.due();
    const auto first = turns.next(now);
    CHECK_FALSE(turns.next(now));
    now = turns.due();
    const auto second = turns.next(now);
    CHECK((first == &probe || second == &probe));
    // Then the flood, in its order.
    now = turns.due();
    CHECK(turns.next(now) == &flooding[1]);
}

TEST_CASE("handshake_turns: a connection that has gone takes no turn", "[endpoints]")
{
    handshake_turns turns(4);
    time_point now{};
    while (turns.take(now)) continue;
    const std::array<char, 2> both{};
    turns.wait(flood, &both[0]);
    turns.wait(flood, &both[1]);
    turns.leave(flood, &both[0]);
    turns.leave(kubelet, &both[0]);
    now = turns.due();
    CHECK(turns.next(now) == &both[1]);
    turns.leave(flood, &both[1]);
    CHECK(turns.due() == time_point::max());
    CHECK(turns.take(now + 1h));
}

TEST_CASE("handshake_turns: 0 is no limit", "[endpoints]")
{
    handshake_turns turns(0);
    for (int i = 0; i < 10'000; ++i) CHECK(turns.take({}));
}

TEST_CASE("handshake_turns: a client is an address of IPv4, or a network of IPv6", "[endpoints]")
{
    const auto of = [](const char* text) { return client_of(asio::ip::make_address(text)); };
    CHECK(of("10.0.0.1") == of("::ffff:10.0.0.1"));
    CHECK(of("10.0.0.1") != of("10.0.0.2"));
    CHECK(of("fd00:1:2:3::1") == of("fd00:1:2:3:ffff::2"));
    CHECK(of("fd00:1:2:3::1") != of("fd00:1:2:4::1"));
}
