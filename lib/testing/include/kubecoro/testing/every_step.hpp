#pragma once
// Exhaustive tests over suspension points: destroys or cancels a coroutine at each of them.

#include <kubecoro/base/callback.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <functional>
#include <memory>

namespace kubecoro::testing {

/** A coroutine under test and the objects it uses.

    `fixture` is released after the coroutines are destroyed and before the runner is. Owners of running children (a
    task_group, an informer) belong in the fixture, not in the coroutine, whose children may be destroyed after it. */
struct scenario
{
    /// The coroutine, not started.
    boost::asio::awaitable<result<>> body;
    /// Owns the objects that `body` uses. Null = none.
    std::shared_ptr<void> fixture = nullptr;
};

/** Runs the scenario repeatedly and destroys all coroutines after 1, 2, 3, ... handlers, until it ends by itself. `make` is called
    once per attempt, with a new runner, and must build the same scenario every time.

    Errors show as a crash, a sanitizer report or a leak; `check`, if given, is called after each destruction.
    @return the number of attempts. Errors: cond::internal when the scenario does not end within `limit` handlers. */
[[nodiscard]] result<std::size_t> stop_after_every_step(const std::function<scenario(runner&)>& make,
                                                        const callback<void()>& check = {}, std::size_t limit = 10'000);

/** The same with terminal cancellation after 1, 2, 3, ... handlers, after which the scenario must end.

    @param check  Called with the outcome of each attempt.
    @return the number of attempts. Errors: cond::internal with the step after which the scenario did not end. */
[[nodiscard]] result<std::size_t> cancel_after_every_step(const std::function<scenario(runner&)>& make,
                                                          const callback<void(const result<>&)>& check = {},
                                                          std::size_t limit = 10'000);

} // namespace kubecoro::testing
