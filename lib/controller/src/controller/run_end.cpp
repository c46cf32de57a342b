#include "controller/run_end.hpp"

#include <array>

namespace kubecoro::detail {

run_end judge(const result<action>& outcome, const run_facts& facts) noexcept
{
    if (outcome) {
        if (outcome->hopeless()) return run_end::terminal;
        return outcome->after() ? run_end::requeued : run_end::succeeded;
    }
    if (facts.cancelling && outcome.error() == cond::cancelled) return run_end::cancelled;
    if (facts.threw) return run_end::threw;
    if (facts.past_deadline && outcome.error() == cond::timed_out) return run_end::timed_out;
    return run_end::failed;
}

std::string_view to_string(run_end e) noexcept
{
    constexpr std::array<std::string_view, run_ends> names{"succeeded", "requeued",  "failed",   "terminal",
                                                           "threw",     "timed_out", "cancelled"};
    return names[static_cast<std::size_t>(e)];
}

std::string_view metric_label(run_end e) noexcept
{
    switch (e) {
    case run_end::succeeded:
        return "success";
    case run_end::requeued:
        return "requeue_after";
    default:
        return "error";
    }
}

} // namespace kubecoro::detail
