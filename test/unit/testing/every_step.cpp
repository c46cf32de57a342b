#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/every_step.hpp>

namespace asio = boost::asio;
using kubecoro::cond;
using kubecoro::latch;
using kubecoro::result;
using kubecoro::testing::cancel_after_every_step;
using kubecoro::testing::runner;
using kubecoro::testing::scenario;
using kubecoro::testing::stop_after_every_step;
using namespace std::chrono_literals;

namespace {

int alive = 0;
struct counted
{
    counted() { ++alive; }
    counted(const counted&) { ++alive; }
    ~counted() { --alive; }
};

asio::awaitable<result<>> three_sleeps(kubecoro::time_source& c)
{
    const counted here;
    for (int i = 0; i < 3; ++i) {
        const auto slept = co_await kubecoro::sleep_for(c, 1s);
        if (!slept) co_return slept;
    }
    co_return result<>{};
}

/// Resembles an informer: children in a group, stopped and joined.
struct owner
{
    explicit owner(runner& r) : group(r.executor()), clock(r.shared_clock()) {}
    kubecoro::task_group group;
    std::shared_ptr<kubecoro::time_source> clock;

    asio::awaitable<result<>> run()
    {
        group.spawn("one", three_sleeps(*clock));
        group.spawn("two", latch{}.wait());
        const auto slept = co_await kubecoro::sleep_for(*clock, 2s);
        group.stop();
        co_await kubecoro::finish_despite_cancellation();
        co_await group.join();
        co_return slept;
    }
};

scenario with_owner(runner& r)
{
    auto o = std::make_shared<owner>(r);
    return {o->run(), o};
}

asio::awaitable<result<>> stubborn(latch never)
{
    co_await kubecoro::finish_despite_cancellation();
    for (;;) {
        const auto r = co_await never.wait();
        if (r) co_return r;
    }
}

} // namespace

TEST_CASE("stop_after_every_step: destroys at every step and leaves nothing behind", "[testing][every_step]")
{
    int checks = 0;
    const auto attempts = stop_after_every_step([](runner& r) { return scenario{three_sleeps(r.clock())}; },
                                                [&checks] {
                                                    ++checks;
                                                    CHECK(alive == 0);
                                                });
    REQUIRE(attempts.has_value());
    CHECK(*attempts >= 4);
    CHECK(static_cast<std::size_t>(checks) == *attempts);
    CHECK(stop_after_every_step(with_owner).has_value());
}

TEST_CASE("cancel_after_every_step: the scenario ends wherever it is cancelled", "[testing][every_step]")
{
    std::size_t cancelled = 0;
    std::size_t finished = 0;
    const auto attempts = cancel_after_every_step([](runner& r) { return scenario{three_sleeps(r.clock())}; },
                                                  [&](const result<>& outcome) {
                                                      if (outcome)
                                                          ++finished;
                                                      else if (outcome.error() == cond::cancelled)
                                                          ++cancelled;
                                                  });
    REQUIRE(attempts.has_value());
    CHECK(finished == 1);
    CHECK(cancelled + finished == *attempts);
    CHECK(cancelled >= 3);
    CHECK(cancel_after_every_step(with_owner).has_value());
}

TEST_CASE("every_step: hangs and endless scenarios are reported", "[testing][every_step]")
{
    CHECK(stop_after_every_step([](runner&) { return scenario{latch{}.wait()}; }).error().message().find("hangs") !=
          std::string::npos);
    const auto deaf = cancel_after_every_step([](runner&) { return scenario{stubborn(latch{})}; });
    REQUIRE(deaf.has_error());
    CHECK(deaf.error().describe().find("does not end") != std::string::npos);
    const auto endless = stop_after_every_step([](runner& r) { return scenario{three_sleeps(r.clock())}; }, {}, 2);
    CHECK(endless.error().message().find("within 2 handlers") != std::string::npos);
}
