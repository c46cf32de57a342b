// Tests of work that goes on in turns.

#include "informer/strand_turns.hpp"

#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <deque>
#include <functional>
#include <stdexcept>
#include <string>

using kubecoro::cond;
using kubecoro::result;
using kubecoro::detail::strand_turns;
namespace asio = boost::asio;
namespace kt = kubecoro::testing;

namespace {

struct fixture
{
    std::deque<std::function<void()>> posted;
    std::string seen;
    bool posts = true;
    strand_turns turns{[this](std::function<void()> f) {
        if (!posts) return turns.close();
        posted.push_back(std::move(f));
    }};

    bool step()
    {
        if (posted.empty()) return false;
        const auto f = std::move(posted.front());
        posted.pop_front();
        f();
        return true;
    }
    void run()
    {
        while (step()) {
        }
    }
    std::function<void()> writes(std::string text)
    {
        return [this, text] { seen += text; };
    }
    /// Work of that many turns.
    std::function<void()> works(std::string text, int count)
    {
        return [this, text, count] {
            turns.work([this, text, left = count]() mutable {
                seen += text;
                return --left != 0;
            });
        };
    }
};

asio::awaitable<result<>> take_and_give(fixture& f, std::string text)
{
    const auto taken = co_await f.turns.take();
    if (!taken) co_return taken;
    f.seen += text;
    f.turns.give_back();
    co_return result<>{};
}

} // namespace

TEST_CASE("strand_turns: functions wait for the work before them, in order", "[cache][turns]")
{
    fixture f;
    f.turns.call(f.writes("a"));
    f.turns.call(f.works("W", 3));
    f.turns.call(f.writes("b"));
    f.turns.call(f.works("V", 2));
    f.turns.call(f.writes("c"));
    f.turns.call(f.works("U", 1));
    f.turns.call(f.writes("d"));
    CHECK(f.seen == "aW");
    CHECK_FALSE(f.turns.try_take());
    f.step();
    CHECK(f.seen == "aWW");
    f.run();
    CHECK(f.seen == "aWWWbVVcUd");
    f.turns.call(f.writes("e"));
    CHECK(f.seen == "aWWWbVVcUde");
    CHECK(f.turns.try_take());
}

TEST_CASE("strand_turns: a turn calls one function that waits, and no new one overtakes it", "[cache][turns]")
{
    fixture f;
    REQUIRE(f.turns.try_take());
    for (const auto* text : {"a", "b", "c"}) f.turns.call(f.writes(text));
    f.turns.give_back();
    CHECK(f.seen.empty());
    CHECK_FALSE(f.turns.try_take());
    f.step();
    CHECK(f.seen == "a");
    f.turns.call(f.writes("d"));
    CHECK(f.seen == "a");
    CHECK(f.turns.try_take(true)); // for the one that has waited
    f.run();
    CHECK(f.seen == "a");
    f.turns.give_back();
    f.run();
    CHECK(f.seen == "abcd");
}

TEST_CASE("strand_turns: an exception ends the work, and the others follow", "[cache][turns]")
{
    fixture f;
    f.turns.call([&f] {
        f.turns.work([&f, turn = 0]() mutable {
            f.seen += "W";
            if (++turn == 2) throw std::runtime_error("interrupted");
            return true;
        });
    });
    f.turns.call([] { throw std::runtime_error("failed"); });
    f.turns.call(f.writes("a"));
    CHECK_THROWS(f.step());
    CHECK_THROWS(f.step());
    f.run();
    CHECK(f.seen == "WWa");
}

TEST_CASE("strand_turns: a failed post drops what waits, and leaves no turn taken", "[cache][turns]")
{
    fixture f;
    f.posts = false;
    SECTION("of the next turn") { f.turns.call(f.works("W", 2)); }
    SECTION("of those that wait")
    {
        f.seen = "W";
        REQUIRE(f.turns.try_take());
        f.turns.call(f.writes("lost"));
        f.turns.give_back();
    }
    f.posts = true;
    f.run();
    CHECK(f.seen == "W");
    REQUIRE(f.turns.try_take());
    f.turns.call(f.writes("a"));
    f.turns.give_back();
    f.run();
    CHECK(f.seen == "Wa");
}

TEST_CASE("strand_turns: coroutines wait in line; one that is cancelled leaves it", "[cache][turns]")
{
    kt::runner r;
    fixture f;
    REQUIRE(f.turns.try_take());
    auto first = r.spawn(take_and_give(f, "1"));
    r.run_until_idle();
    f.turns.call(f.writes("a"));
    auto second = r.spawn(take_and_give(f, "2"));
    auto third = r.spawn(take_and_give(f, "3"));
    r.run_until_idle();
    second.cancel();
    r.run_until_idle();
    REQUIRE(second.done());
    CHECK(second.outcome().error() == cond::cancelled);
    f.turns.give_back();
    for (int i = 0; i != 10; ++i) {
        f.run();
        r.run_until_idle();
    }
    CHECK(f.seen == "1a3");
    CHECK(first.outcome());
    CHECK(third.outcome());
    // One that was cancelled after its turn had come gives it back.
    REQUIRE(f.turns.try_take());
    auto late = r.spawn(take_and_give(f, "4"));
    r.run_until_idle();
    f.turns.give_back();
    f.run();
    late.cancel();
    r.run_until_idle();
    CHECK(late.done());
    CHECK(f.turns.try_take());
}
