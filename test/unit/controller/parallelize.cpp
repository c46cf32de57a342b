#include <kubecoro/base/clock.hpp>
#include <kubecoro/controller/parallelize.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/every_step.hpp>

#include <chrono>
#include <stdexcept>
#include <vector>

namespace asio = boost::asio;
namespace kt = kubecoro::testing;
using namespace std::chrono_literals;
using kubecoro::cond;
using kubecoro::parallelize;
using kubecoro::result;

namespace {

/// Pieces that take one second each and count their runs.
struct pieces
{
    kt::runner& run;
    std::vector<int> done;
    int now = 0;
    int most = 0;

    std::function<asio::awaitable<result<>>(std::size_t)> work()
    {
        return [this](std::size_t n) { return piece(n); };
    }
    asio::awaitable<result<>> piece(std::size_t n)
    {
        most = std::max(most, ++now);
        const auto slept = co_await kubecoro::sleep_for(run.clock(), 1s);
        --now;
        ++done[n];
        co_return slept;
    }
};

} // namespace

TEST_CASE("parallelize: runs every piece once, with at most one piece per worker at a time (ParallelizeUntil)",
          "[parallelize]")
{
    struct row
    {
        std::size_t pieces;
        unsigned workers;
        std::chrono::seconds takes;
    };
    for (const row r : {row{1000, 10, 100s}, row{999, 10, 100s}, row{3, 10, 1s}, row{5, 0, 5s}, row{0, 4, 0s}}) {
        kt::runner run;
        pieces p{.run = run, .done = std::vector<int>(r.pieces)};
        const auto begun = run.clock().now();
        CHECK(run.run(parallelize(r.pieces, p.work(), r.workers)).has_value());
        CHECK(p.done == std::vector<int>(r.pieces, 1));
        CHECK(p.most <= static_cast<int>(std::max(r.workers, 1U)));
        CHECK(run.clock().now() - begun == r.takes);
    }
}

TEST_CASE("parallelize: a failure does not stop other pieces and is returned", "[parallelize]")
{
    kt::runner run;
    int calls = 0;
    const auto work = [&calls](std::size_t n) -> asio::awaitable<result<>> {
        ++calls;
        if (n == 3) throw std::runtime_error("three");
        if (n == 5) co_return kubecoro::failure(cond::conflict, "five");
        co_return result<>{};
    };
    const auto ended = run.run(parallelize(10, work, 1));
    CHECK(calls == 10);
    CHECK(ended.error() == cond::internal);
    CHECK(ended.error().message() == "three");
}

TEST_CASE("parallelize: cancelled or destroyed at every step", "[parallelize][every_step]")
{
    std::shared_ptr<pieces> last;
    const auto make = [&last](kt::runner& r) {
        last = std::make_shared<pieces>(pieces{.run = r, .done = std::vector<int>(6)});
        return kt::scenario{.body = parallelize(6, last->work(), 2), .fixture = last};
    };
    const auto cancelled = kt::cancel_after_every_step(make, [&last](const result<>& outcome) {
        if (!outcome) CHECK(outcome.error() == cond::cancelled);
        CHECK(last->now == 0); // no worker is left
    });
    REQUIRE(cancelled);
    CHECK(*cancelled > 5);
    CHECK(kt::stop_after_every_step(make));
}

TEST_CASE("parallelize: cancelled again while it ends, it still awaits its workers", "[parallelize]")
{
    for (std::size_t first = 0; first < 20; ++first) {
        for (std::size_t second = 0; second < 8; ++second) {
            kt::runner run;
            pieces p{.run = run, .done = std::vector<int>(6)};
            auto working = run.spawn(parallelize(6, p.work(), 2));
            run.cancel_after(first, working, asio::cancellation_type::terminal);
            run.cancel_after(first + second, working, asio::cancellation_type::terminal);
            while (!working.done()) REQUIRE(run.step(1) == 1);
            CHECK(p.now == 0);
        }
    }
}
