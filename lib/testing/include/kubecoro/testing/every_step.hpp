#pragma once
// Brute force over suspension points: what happens to a coroutine may happen at each of them.

#include <kubecoro/testing/coroutine_runner.hpp>

#include <functional>
#include <memory>

namespace kubecoro::testing {

/** A coroutine under test and what it uses.

    `fixture` is dropped after the coroutines are destroyed and before the runner is. What owns running children (a
    task_group, an informer) belongs there and not into the coroutine: its children may be destroyed after it. */
struct scenario
{
    boost::asio::awaitable<result<>> body;
    std::shared_ptr<void> fixture = nullptr;
};
/// Called once for every attempt, with a fresh runner. Must build the same scenario every time.
using scenario_factory = std::function<scenario(runner&)>;

/** Runs the scenario again and again and destroys everything after 1, 2, 3, ... handlers, until it ends by itself.

    What is wrong shows as a crash, a sanitizer report or a leak; `check`, if given, is called after each destruction.
    @return how many attempts there were. Errors: cond::internal when it does not end within `limit` handlers. */
[[nodiscard]] result<std::size_t> stop_after_every_step(const scenario_factory& make,
                                                        const std::function<void()>& check = {},
                                                        std::size_t limit = 10'000);

/** The same with terminal cancellation after 1, 2, 3, ... handlers, after which the scenario has to end.

    @param check  Called with what each attempt ended with.
    @return how many attempts there were. Errors: cond::internal with the step after which it did not end. */
[[nodiscard]] result<std::size_t> cancel_after_every_step(const scenario_factory& make,
                                                          const std::function<void(const result<>&)>& check = {},
                                                          std::size_t limit = 10'000);

} // namespace kubecoro::testing
