#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/failure.hpp>

#include <optional>
#include <utility>

namespace kubecoro {

/** What a run of a reconciler wants for its key. A regular value.

        co_return action::done();
        co_return action::requeue_after(10min);
        co_return terminal(failure(cond::invalid, "the spec cannot be"));

    A failure instead of an action means: again, after the key's backoff. */
class action
{
public:
    /// All is as it should be until the next event.
    [[nodiscard]] static action done() { return action(); }
    /// The same, but look again after `d` at the latest; at once when it is not positive.
    [[nodiscard]] static action requeue_after(duration d)
    {
        action a;
        a.after_ = d;
        return a;
    }
    /// The next run that this action asks for has that priority; without it, the priority of this run.
    [[nodiscard]] action with_priority(int p) const
    {
        action a = *this;
        a.priority_ = p;
        return a;
    }

    /// The delay until the next run, if one was asked for.
    [[nodiscard]] const std::optional<duration>& after() const noexcept { return after_; }
    /// The priority of that run.
    [[nodiscard]] const std::optional<int>& priority() const noexcept { return priority_; }
    /// Why there is no use in trying again, if this is terminal().
    [[nodiscard]] const std::optional<failure>& hopeless() const noexcept { return hopeless_; }

private:
    friend action terminal(failure why);
    std::optional<duration> after_;
    std::optional<int> priority_;
    std::optional<failure> hopeless_;
};

/// The run has failed and trying again cannot help: it is counted and logged, and the key waits for its next event.
[[nodiscard]] inline action terminal(failure why)
{
    action a;
    a.hopeless_ = std::move(why);
    return a;
}

} // namespace kubecoro
