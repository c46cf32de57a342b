// Connecting to one of several addresses, and name look-ups: the plans, and their execution in virtual time.
#include "connect/happy_eyeballs_core.hpp"
#include "connect/lookup_core.hpp"
#include "connect/name_resolver.hpp"
#include "connect/socket_connector.hpp"
#include "failing_allocations.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/every_step.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <future>
#include <map>

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace std::chrono_literals;
namespace asio = boost::asio;
using texts = std::vector<std::string>;

namespace {

const happy_eyeballs_core::moment start{};

/// Describes an action: "open 0", "wait 250", "wait", "connected 1", or the message of the failure.
std::string words(const happy_eyeballs_core::action& a)
{
    using core = happy_eyeballs_core;
    if (const auto* o = std::get_if<core::open>(&a)) return "open " + std::to_string(o->index);
    if (const auto* c = std::get_if<core::connected>(&a)) return "connected " + std::to_string(c->index);
    if (const auto* g = std::get_if<core::give_up>(&a))
        return std::string(to_string(g->why.condition())) + ": " + g->why.message();
    const auto until = std::get<core::wait>(a).until;
    return until ? "wait " + std::to_string((*until - start) / 1ms) : "wait";
}

failure refused() { return failure(cond::unreachable, "Connection refused"); }

} // namespace

TEST_CASE("happy eyeballs: the families alternate, the best address first", "[client][connect]")
{
    const auto order = [](texts addresses, std::string preferred = {}) {
        return happy_eyeballs_core(std::move(addresses), {.preferred = std::move(preferred)}).order();
    };
    CHECK(order({"::1", "::2", "::3", "1.1.1.1", "2.2.2.2"}) == texts{"::1", "1.1.1.1", "::2", "2.2.2.2", "::3"});
    CHECK(order({"1.1.1.1", "2.2.2.2", "::1"}) == texts{"1.1.1.1", "::1", "2.2.2.2"});
    CHECK(order({"1.1.1.1", "1.1.1.1", "::1", "1.1.1.1"}) == texts{"1.1.1.1", "::1"});
    CHECK(order({}).empty());
    // The address that worked last comes first; if it is no longer listed, it is not tried.
    CHECK(order({"::1", "::2", "1.1.1.1", "2.2.2.2"}, "2.2.2.2") == texts{"2.2.2.2", "::1", "1.1.1.1", "::2"});
    CHECK(order({"::1", "1.1.1.1"}, "9.9.9.9") == texts{"::1", "1.1.1.1"});
    texts many;
    for (int i = 0; i < 40; ++i) many.push_back("10.0.0." + std::to_string(i));
    CHECK(order(many).size() == 16);
}

TEST_CASE("happy eyeballs: an address that drops packets costs one stagger", "[client][connect]")
{
    happy_eyeballs_core core({"::1", "1.1.1.1", "2.2.2.2"}, {.peer = "h:1"});
    CHECK(words(core.next(start)) == "open 0");
    CHECK(words(core.next(start)) == "wait 250");
    CHECK(words(core.next(start + 249ms)) == "wait 250");
    CHECK(words(core.next(start + 250ms)) == "open 1");
    CHECK(words(core.next(start + 250ms)) == "wait 500");
    CHECK(words(core.next(start + 600ms)) == "open 2");
    CHECK(words(core.next(start + 600ms)) == "wait");
    core.on_connected(1);
    CHECK(words(core.next(start + 601ms)) == "connected 1");
    // Later outcomes of the others change nothing.
    core.on_failed(0, failure(cond::cancelled));
    core.on_connected(2);
    CHECK(words(core.next(start + 602ms)) == "connected 1");
}

TEST_CASE("happy eyeballs: a refusal starts the next attempt at once", "[client][connect]")
{
    happy_eyeballs_core core({"::1", "1.1.1.1", "2.2.2.2"}, {.peer = "h:1"});
    CHECK(words(core.next(start)) == "open 0");
    core.on_failed(0, refused());
    CHECK(words(core.next(start + 1ms)) == "open 1");
    CHECK(words(core.next(start + 1ms)) == "wait 251");
    CHECK(words(core.next(start + 251ms)) == "open 2");
    core.on_failed(1, refused());
    CHECK(words(core.next(start + 252ms)) == "wait");
    core.on_connected(2);
    CHECK(words(core.next(start + 253ms)) == "connected 2");
}

TEST_CASE("happy eyeballs: when all fail, the failure lists each address with its cause", "[client][connect]")
{
    happy_eyeballs_core core({"fd00::1", "1.1.1.1"}, {.peer = "h:1"});
    CHECK(words(core.next(start)) == "open 0");
    core.on_failed(0, failure(cond::timed_out, "Connection timed out"));
    CHECK(words(core.next(start)) == "open 1");
    core.on_failed(1, refused());
    CHECK(words(core.next(start)) ==
          "unreachable: connect to h:1: [fd00::1]: Connection timed out, 1.1.1.1: Connection refused");

    happy_eyeballs_core alone({"1.1.1.1"}, {.peer = "1.1.1.1:1"});
    CHECK(words(alone.next(start)) == "open 0");
    alone.on_failed(0, failure(cond::timed_out, "Connection timed out"));
    CHECK(words(alone.next(start)) == "timed_out: connect to 1.1.1.1:1: Connection timed out");

    happy_eyeballs_core none({}, {.peer = "h:1"});
    CHECK(words(none.next(start)) == "unreachable: connect to h:1: the name has no address");

    happy_eyeballs_core few({"1.1.1.1", "2.2.2.2"}, {.peer = "h:1", .most = 1});
    CHECK(words(few.next(start)) == "open 0");
    few.on_failed(0, refused());
    CHECK(words(few.next(start)) == "unreachable: connect to h:1: Connection refused, and 1 more not tried");
}

TEST_CASE("happy eyeballs: the deadline ends all attempts, and the failure lists them", "[client][connect]")
{
    happy_eyeballs_core core({"1.1.1.1", "2.2.2.2", "3.3.3.3"}, {.peer = "h:1", .deadline = start + 400ms});
    CHECK(words(core.next(start)) == "open 0");
    CHECK(words(core.next(start)) == "wait 250");
    CHECK(words(core.next(start + 250ms)) == "open 1");
    core.on_failed(0, refused());
    CHECK(words(core.next(start + 260ms)) == "open 2");
    core.on_failed(2, refused());
    CHECK(words(core.next(start + 261ms)) == "wait 400");
    CHECK(words(core.next(start + 400ms)) == "timed_out: connect to h:1: 1.1.1.1: Connection refused, 2.2.2.2: no "
                                             "answer in time, 3.3.3.3: Connection refused");

    happy_eyeballs_core soon({"1.1.1.1", "2.2.2.2"}, {.peer = "h:1", .deadline = start + 100ms});
    CHECK(words(soon.next(start)) == "open 0");
    CHECK(words(soon.next(start)) == "wait 100");
    CHECK(words(soon.next(start + 100ms)) ==
          "timed_out: connect to h:1: 1.1.1.1: no answer in time, and 1 more not tried");
}

namespace {

/// The outcome of connecting to an address, and the time at which the attempt began.
struct place
{
    std::optional<failure> fails = {};
    std::optional<duration> answers_after = {};
};

struct network
{
    std::shared_ptr<kubecoro::time_source> time;
    std::map<std::string, place> places;
    std::vector<std::pair<std::string, duration>> tried = {};
    int open = 0;
};

struct open_attempt
{
    std::shared_ptr<network> net;
    explicit open_attempt(std::shared_ptr<network> n) : net(std::move(n)) { ++net->open; }
    ~open_attempt() { --net->open; }
    open_attempt(const open_attempt&) = delete;
    open_attempt& operator=(const open_attempt&) = delete;
};

asio::awaitable<result<>> dial(std::shared_ptr<network> net, std::string address, time_point begun)
{
    const open_attempt here(net);
    net->tried.emplace_back(address, net->time->now() - begun);
    const auto& at = net->places[address];
    if (at.fails) co_return *at.fails;
    auto waited = co_await sleep_for(*net->time, at.answers_after.value_or(std::chrono::hours{1}));
    co_return waited;
}

asio::awaitable<result<std::size_t>> race_to(std::shared_ptr<network> net, texts addresses, duration limit = 30s)
{
    const auto begun = net->time->now();
    auto plan = std::make_shared<happy_eyeballs_core>(
        std::move(addresses), happy_eyeballs_settings{.peer = "h:1", .deadline = begun + limit});
    dialer dialing = [net, plan, begun](std::size_t i) { return dial(net, plan->order()[i], begun); };
    co_return co_await race_connections(net->time, plan, std::move(dialing));
}

} // namespace

TEST_CASE("connection race: the first success wins and every other attempt has ended", "[client][connect]")
{
    testing::runner run;
    const auto net = std::make_shared<network>(network{run.shared_clock(), {{"2.2.2.2", {.answers_after = 10ms}}}});
    const auto before = run.clock().now();
    const auto won = run.run(race_to(net, {"::1", "1.1.1.1", "::2", "2.2.2.2"}));
    REQUIRE(won);
    CHECK(*won == 3);
    CHECK(run.clock().now() - before == 760ms);
    CHECK(net->open == 0);
    CHECK(net->tried == std::vector<std::pair<std::string, duration>>{
                            {"::1", 0ms}, {"1.1.1.1", 250ms}, {"::2", 500ms}, {"2.2.2.2", 750ms}});
}

TEST_CASE("connection race: refusals cost no time, and the deadline ends the rest", "[client][connect]")
{
    testing::runner run;
    const auto net = std::make_shared<network>(
        network{run.shared_clock(), {{"::1", {.fails = refused()}}, {"1.1.1.1", {.fails = refused()}}}});
    auto before = run.clock().now();
    const auto both = run.run(race_to(net, {"::1", "1.1.1.1"}));
    REQUIRE_FALSE(both);
    CHECK(both.error().message() == "connect to h:1: [::1]: Connection refused, 1.1.1.1: Connection refused");
    CHECK(run.clock().now() == before);
    const auto silent = run.run(race_to(net, {"9.9.9.9", "::1"}, 3s));
    REQUIRE_FALSE(silent);
    CHECK(silent.error() == cond::timed_out);
    CHECK(run.clock().now() - before == 3s);
    CHECK(net->open == 0);
}

TEST_CASE("connection race: cancelled or destroyed at any step, no attempt remains", "[client][connect]")
{
    std::weak_ptr<network> seen;
    const auto make = [&](testing::runner& run) {
        auto net = std::make_shared<network>(
            network{run.shared_clock(), {{"::1", {.fails = refused()}}, {"2.2.2.2", {.answers_after = 300ms}}}});
        seen = net;
        auto whole = [](std::shared_ptr<network> over) -> asio::awaitable<result<>> {
            texts addresses = {"1.1.1.1", "::1", "2.2.2.2", "3.3.3.3"};
            auto won = co_await race_to(over, std::move(addresses));
            // The losing attempts must have ended by now.
            if (over->open != 0) co_return failure(cond::internal, "an attempt still runs");
            if (!won) co_return won.error();
            co_return co_await sleep_for(*over->time, 1s);
        };
        return testing::scenario{whole(std::move(net))};
    };
    const auto stopped = testing::stop_after_every_step(make, [&] { CHECK(seen.expired()); });
    REQUIRE(stopped);
    const auto cancelled = testing::cancel_after_every_step(make, [&](const result<>& r) {
        if (!r) CHECK(r.error().condition() == cond::cancelled);
    });
    REQUIRE(cancelled);
    CHECK(*cancelled > 10);
}

TEST_CASE("connection race: a clean-up section can still connect, and remains one", "[client][connect]")
{
    testing::runner run;
    const auto net = std::make_shared<network>(network{run.shared_clock(), {{"::1", {.answers_after = 300ms}}}});
    auto clean_up = [](std::shared_ptr<network> over) -> asio::awaitable<result<>> {
        const auto ended = co_await catch_failure(sleep_for(*over->time, 24h));
        if (ended || ended.error() != cond::cancelled) co_return failure(cond::internal, "was not cancelled");
        co_await finish_despite_cancellation();
        texts addresses = {"1.1.1.1", "::1"};
        const auto won = co_await race_to(over, std::move(addresses));
        if (!won) co_return won.error();
        co_return co_await sleep_for(*over->time, 1s);
    };
    const auto t = run.spawn(clean_up(net));
    run.run_until_idle();
    t.cancel();
    REQUIRE(run.run_until([&] { return t.done(); }));
    CHECK(t.outcome());
}

TEST_CASE("look-ups: one at a time for each name, independent of other names", "[client][connect]")
{
    lookup_core core;
    const auto is = [](const lookup_core::action& a) {
        if (const auto* known = std::get_if<lookup_result>(&a)) return *known ? (*known)->front() : std::string("bad");
        return std::string(std::holds_alternative<lookup_core::begin>(a) ? "begin" : "join");
    };
    CHECK(is(core.ask("a", start)) == "begin");
    CHECK(is(core.ask("b", start)) == "begin");
    CHECK(is(core.ask("a", start + 1h)) == "join");
    core.on_result("a", texts{"1.1.1.1"}, start + 1h);
    CHECK(is(core.ask("a", start + 1h)) == "1.1.1.1");
    CHECK(is(core.ask("b", start + 1h)) == "join");
    // Cached for five seconds after its end.
    CHECK(is(core.ask("a", start + 1h + 4999ms)) == "1.1.1.1");
    CHECK(is(core.ask("a", start + 1h + 5s)) == "begin");
    // A failure is cached for one second.
    core.on_result("b", failure(cond::unreachable), start + 1h);
    CHECK(is(core.ask("b", start + 1h + 999ms)) == "bad");
    CHECK(is(core.ask("b", start + 1h + 1s)) == "begin");
}

TEST_CASE("look-ups: expired results are removed, so that names do not accumulate", "[client][connect]")
{
    lookup_core core;
    for (int i = 0; i < 1000; ++i) {
        const auto name = std::to_string(i);
        const auto now = start + i * 1s;
        CHECK(std::holds_alternative<lookup_core::begin>(core.ask(name, now)));
        core.on_result(name, texts{"1.1.1.1"}, now);
    }
    CHECK(core.size() <= 6);
}

namespace {

/// A context of its own: look-ups are awaited through real pipes.
lookup_result resolved(name_resolver& names, std::uint64_t failing_allocation)
{
    asio::io_context io;
    const std::function<asio::awaitable<lookup_result>()> asking = [&] { return names.resolve("api.example"); };
    auto done = asio::co_spawn(io, test::failing(failing_allocation, asking), asio::use_future);
    io.run();
    return done.get();
}

} // namespace

TEST_CASE("look-ups: one that lacks memory to begin does not stop those after it", "[client][connect]")
{
    test::for_each_allocation([](std::uint64_t nth) {
        name_resolver names(real_clock(), [](const std::string&) -> lookup_result { return texts{"10.0.0.1"}; });
        if (const auto first = resolved(names, nth)) CHECK(first->front() == "10.0.0.1");
        const auto second = resolved(names, 0);
        REQUIRE(second);
        CHECK(second->front() == "10.0.0.1");
    });
}
