// Checks that every wait of the base layer ends by each kind of cancellation that it supports.
#include <kubecoro/base/detail/wake_signal.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/repeat.hpp>
#include <kubecoro/base/retry.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <functional>

namespace asio = boost::asio;
namespace kt = kubecoro::testing;
using namespace kubecoro;
using namespace std::chrono_literals;

namespace {

/// Objects that the waits wait for.
struct world
{
    kt::runner run;
    latch never;
    detail::wake_signal quiet;
    task_group tasks{run.executor()};
    std::shared_ptr<timer> alarm = run.clock().make_timer(run.executor());
};

using wait = std::function<asio::awaitable<result<>>(world&)>;

const std::vector<std::pair<std::string, wait>> waits{
    {"latch", [](world& w) { return w.never.wait(); }},
    {"wake_signal", [](world& w) { return w.quiet.wait(); }},
    {"sleep_for", [](world& w) { return sleep_for(w.run.clock(), 1h); }},
    {"timer",
     [](world& w) {
         w.alarm->expires_at(w.run.clock().now() + 1h);
         return w.alarm->wait();
     }},
    {"task_group::join",
     [](world& w) {
         w.tasks.spawn("a child", w.never.wait());
         return w.tasks.join();
     }},
    {"race",
     [](world& w) -> asio::awaitable<result<>> {
         static_cast<void>(co_await race(w.never.wait(), sleep_for(w.run.clock(), 1h)));
         const auto state = co_await asio::this_coro::cancellation_state;
         if (state.cancelled() == asio::cancellation_type::none) co_return failure(cond::internal, "was not cancelled");
         co_return failure(cond::cancelled);
     }},
    {"with_timeout", [](world& w) { return with_timeout(w.run.clock(), 1h, "ask", w.never.wait()); }},
    {"with_timeout, no limit", [](world& w) { return with_timeout(w.run.clock(), 0s, "ask", w.never.wait()); }},
    {"until, in the body",
     [](world& w) {
         loop_body body = [&w] { return w.never.wait(); };
         return until(w.run.clock(), 1h, std::move(body));
     }},
    {"until, in the pause",
     [](world& w) {
         loop_body body = []() -> asio::awaitable<result<>> { co_return result<>{}; };
         return until(w.run.clock(), 1h, std::move(body));
     }},
    {"backoff_until",
     [](world& w) {
         loop_body body = []() -> asio::awaitable<result<>> { co_return failure(cond::unreachable); };
         std::function<void(const failure&)> ignore = [](const failure&) {};
         backoff_policy slow{.initial = 1h, .cap = 1h};
         return backoff_until(w.run.clock(), slow, std::move(body), std::move(ignore), 1);
     }},
    {"poll_until, between two questions",
     [](world& w) {
         std::function<asio::awaitable<result<bool>>()> ask = []() -> asio::awaitable<result<bool>> {
             co_return false;
         };
         poll_timing timing{.interval = 1h, .timeout = 10h};
         return poll_until(w.run.clock(), std::move(timing), std::move(ask));
     }},
    {"poll_until, in a question",
     [](world& w) {
         std::function<asio::awaitable<result<bool>>()> ask = [&w]() -> asio::awaitable<result<bool>> {
             const auto waited = co_await w.never.wait();
             if (!waited) co_return waited.error();
             co_return true;
         };
         poll_timing timing{.interval = 1h, .timeout = 10h};
         return poll_until(w.run.clock(), std::move(timing), std::move(ask));
     }},
    {"retry_on, in the body",
     [](world& w) {
         std::function<asio::awaitable<result<void>>()> body = [&w] { return w.never.wait(); };
         return retry_on<void>(w.run.clock(), cond::conflict, std::move(body));
     }},
    {"retry_on, in the pause",
     [](world& w) {
         std::function<asio::awaitable<result<void>>()> body = []() -> asio::awaitable<result<void>> {
             co_return failure(cond::conflict);
         };
         retry_policy slow{.delays = {.initial = 1h, .cap = 1h}};
         return retry_on<void>(w.run.clock(), cond::conflict, std::move(body), slow);
     }},
};

} // namespace

TEST_CASE("cancellation: every kind ends every wait", "[base][cancellation]")
{
    for (const auto how :
         {asio::cancellation_type::terminal, asio::cancellation_type::partial, asio::cancellation_type::total})
        for (const auto& [name, begin] : waits) {
            INFO(name << ", kind " << static_cast<unsigned>(how));
            world w;
            const auto waiting = w.run.spawn(begin(w));
            w.run.run_until_idle();
            REQUIRE_FALSE(waiting.done());
            waiting.cancel(how);
            w.run.run_until_idle();
            CHECK(waiting.done());
            if (waiting.done()) CHECK(waiting.outcome().error() == cond::cancelled);
            w.tasks.stop();
            w.run.run_until_idle();
        }
}
