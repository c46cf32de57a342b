#include "callers.hpp"

#include <kubecoro/base/repeat.hpp>
#include <kubecoro/base/retry.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/base/timeout.hpp>

namespace callers_test {
namespace {

asio::awaitable<result<>> nothing() { co_return result<>{}; }
asio::awaitable<result<bool>> no() { co_return false; }

} // namespace

rows of_base()
{
    return {
        {"base/catch_failure.hpp catch_failure", [](world& w) { return catch_failure(w.never.wait()); }},
        {"base/catch_failure.hpp stop_requested", [](world&) { return stop_requested(); }},
        {"base/clock.hpp wait",
         [](world& w) {
             auto& alarm = w.keep(std::shared_ptr<timer>(w.run.clock().make_timer(w.run.executor())));
             alarm.expires_at(w.run.clock().now() + 5s);
             return alarm.wait();
         }},
        {"base/clock.hpp sleep_for", [](world& w) { return sleep_for(w.run.clock(), 5s); }},
        {"base/latch.hpp wait", [](world& w) { return w.never.wait(); }},
        {"base/repeat.hpp until", [](world& w) { return until(w.run.clock(), 1s, nothing); }},
        {"base/repeat.hpp jitter_until",
         [](world& w) {
             const round_timing timing{.period = 1s, .jitter = 1, .seed = 1};
             return jitter_until(w.run.clock(), timing, nothing);
         }},
        {"base/repeat.hpp backoff_until",
         [](world& w) { return backoff_until(w.run.clock(), backoff_policy{}, nothing, nullptr, 1); }},
        {"base/repeat.hpp poll_until",
         [](world& w) { return poll_until(w.run.clock(), poll_timing{.timeout = 10s}, no); }},
        {"base/retry.hpp retry_on",
         [](world& w) {
             const auto fails = []() -> asio::awaitable<result<>> { co_return failure(cond::conflict); };
             return retry_on(w.run.clock(), cond::conflict, fails);
         }},
        {"base/task_group.hpp join",
         [](world& w) {
             auto& group = w.keep<task_group>(std::make_shared<task_group>(w.run.executor()), [](task_group& g) {
                 g.stop();
                 return g.join();
             });
             group.spawn("child", sleep_for(w.run.clock(), 5s));
             return group.join();
         }},
        {"base/task_group.hpp stopped",
         [](world& w) {
             auto& group = w.keep(std::make_shared<task_group>(w.run.executor()));
             group.spawn("child", w.never.wait());
             return group.stopped();
         }},
        {"base/timeout.hpp race", [](world& w) { return race(w.never.wait(), sleep_for(w.run.clock(), 5s)); }},
        {"base/timeout.hpp with_timeout",
         [](world& w) { return with_timeout(w.run.clock(), 5s, "wait", w.never.wait()); }},
    };
}

} // namespace callers_test
