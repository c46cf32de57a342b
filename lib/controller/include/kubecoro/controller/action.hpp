#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>

#include <optional>
#include <utility>

namespace kubecoro {

/** The outcome that a reconciler's run requests for its key. A regular type.

        co_return action::done();
        co_return action::requeue_after(10min);
        co_return terminal(failure(cond::invalid, "the spec cannot be satisfied"));

    A failure instead of an action requests a retry after the key's backoff. */
class action
{
public:
    /// Success: no further run until the next event.
    [[nodiscard]] static action done() { return action(); }
    /// Success: run again after `d` at the latest; at once when `d` is not positive.
    [[nodiscard]] static action requeue_after(saturating_duration d)
    {
        action a;
        a.after_ = d;
        return a;
    }
    /// Sets the priority of the next run that this action requests; by default the priority of this run.
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
    /// The failure for which a retry is pointless, if this is terminal().
    [[nodiscard]] const std::optional<failure>& hopeless() const noexcept { return hopeless_; }

private:
    friend action terminal(failure why);
    std::optional<duration> after_;
    std::optional<int> priority_;
    std::optional<failure> hopeless_;
};

/// The run failed and a retry cannot help: it is counted and logged, and the key waits for its next event.
[[nodiscard]] inline action terminal(failure why)
{
    action a;
    a.hopeless_ = std::move(why);
    return a;
}

} // namespace kubecoro
