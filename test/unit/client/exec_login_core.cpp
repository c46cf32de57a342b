// When a credential plugin runs.
#include "auth/exec_login_core.hpp"

#include <kubecoro/test/catch.hpp>

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace std::chrono_literals;

namespace {

struct life
{
    exec_login_core core;
    time_point now = time_point(1h);
    std::chrono::system_clock::time_point wall{std::chrono::seconds(1'000'000)};
    int runs = 0;

    /// A request; the plugin returns this if it is run.
    held_credential ask(exec_credential next, const held_credential& refused = nullptr)
    {
        if (auto chosen = core.choose(now, refused)) return chosen;
        core.on_run(now, refused);
        ++runs;
        core.on_credential(std::move(next), now, wall);
        return core.current();
    }
    void pass(std::chrono::seconds time)
    {
        now += time;
        wall += time;
    }
    exec_credential until(const std::string& token, std::chrono::seconds left) const
    {
        exec_credential c{.token = token};
        c.expires = std::chrono::floor<std::chrono::seconds>(wall) + left;
        return c;
    }
};

} // namespace

TEST_CASE("exec core: credentials without an end are used until they are refused", "[client][exec]")
{
    life l;
    const auto first = l.ask({.token = "a"});
    CHECK(first->token == "a");
    l.pass(std::chrono::hours(24 * 365 * 10));
    CHECK(l.ask({.token = "b"}) == first);
    CHECK(l.ask({.token = "b"}, first)->token == "b");
    CHECK(l.runs == 2);
}

TEST_CASE("exec core: they are renewed ten seconds before their end, or in the last fifth of their life",
          "[client][exec]")
{
    for (const auto& [length, leeway] : {std::pair{1000s, 10s}, {50s, 10s}, {5s, 1s}}) {
        life l;
        l.ask(l.until("a", length));
        l.pass(length - leeway - 1s);
        CHECK(l.ask({})->token == "a");
        l.pass(1s);
        CHECK(l.ask({.token = "b"})->token == "b");
    }
}

TEST_CASE("exec core: expired credentials are reported, used once and renewed", "[client][exec]")
{
    life l;
    CHECK(l.core.on_credential(l.until("old", -5s), l.now, l.wall));
    CHECK(l.core.choose(l.now, nullptr) == nullptr);
    CHECK_FALSE(l.core.on_credential(l.until("new", 5s), l.now, l.wall));
    CHECK_FALSE(l.core.on_credential({.token = "eternal"}, l.now, l.wall));
    CHECK(l.core.choose(l.now + 24h, nullptr)->token == "eternal");
}

TEST_CASE("exec core: a refusal of credentials that are no longer current runs nothing", "[client][exec]")
{
    life l;
    const auto first = l.ask({.token = "a"});
    const auto second = l.ask({.token = "b"}, first);
    CHECK(l.runs == 2);
    // Other requests were refused with the first ones.
    CHECK(l.ask({.token = "c"}, first) == second);
    CHECK(l.runs == 2);
}

TEST_CASE("exec core: credentials that are returned again are the same ones, with their new end", "[client][exec]")
{
    life l;
    const exec_credential whole{.token = "t", .certificate = "c", .key = "k"};
    const auto first = l.ask(whole);
    CHECK(l.ask(whole, first) == first);
    for (auto change : {&exec_credential::token, &exec_credential::certificate, &exec_credential::key}) {
        auto other = whole;
        other.*change = "other";
        l.pass(1h);
        const auto before = l.core.current();
        CHECK(l.ask(other, before) != before);
    }
    life ends;
    const auto held = ends.ask(ends.until("t", 100s));
    ends.pass(95s);
    CHECK(ends.ask(ends.until("t", 100s)) == held);
    ends.pass(80s);
    CHECK(ends.ask({.token = "unused"}) == held);
    CHECK(ends.runs == 2);
}

TEST_CASE("exec core: a server that refuses everything does not run the plugin with each request", "[client][exec]")
{
    life l;
    int made = 0;
    auto held = l.ask({.token = "0"});
    const auto refuse = [&] { held = l.ask({.token = std::to_string(++made)}, held); };
    // A request a second for an hour, each of which is refused.
    std::vector<int> at;
    for (int second = 0; second < 3600; ++second, l.pass(1s)) {
        const int before = l.runs;
        refuse();
        if (l.runs != before) at.push_back(second);
    }
    REQUIRE(at.size() > 6);
    CHECK(std::vector<int>(at.begin(), at.begin() + 7) == std::vector<int>{0, 10, 30, 70, 150, 310, 610});
    CHECK(at.size() == 16);
    // The series is over once nothing was refused for the length of its pause.
    l.pass(700s);
    const int before = l.runs;
    refuse();
    l.pass(10s);
    refuse();
    CHECK(l.runs == before + 2);
}

TEST_CASE("exec core: a run for the end of the credentials does not wait for refusals", "[client][exec]")
{
    life l;
    const auto first = l.ask(l.until("a", 100s));
    const auto second = l.ask(l.until("b", 5s), first);
    CHECK(l.ask({.token = "c"}, second) == second);
    l.pass(5s);
    CHECK(l.ask({.token = "c"}, second)->token == "c");
    CHECK(l.runs == 3);
}
