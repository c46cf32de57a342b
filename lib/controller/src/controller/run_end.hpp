#pragma once
// What the end of a run means: decides, does nothing.

#include <kubecoro/base/result.hpp>
#include <kubecoro/controller/action.hpp>

#include <cstddef>
#include <string_view>

namespace kubecoro::detail {

enum class run_end
{
    succeeded,
    /// A success that wants another look.
    requeued,
    failed,
    terminal,
    threw,
    timed_out,
    /// The controller did not let it finish.
    cancelled
};
inline constexpr std::size_t run_ends = 7;

/// What happened around a run's outcome.
struct run_facts
{
    bool threw = false;
    bool past_deadline = false;
    /// The controller has cancelled its runs.
    bool cancelling = false;
};

[[nodiscard]] run_end judge(const result<action>& outcome, const run_facts& facts) noexcept;

/// Whether the key is tried again after its backoff.
[[nodiscard]] constexpr bool is_retried(run_end e) noexcept
{
    return e == run_end::failed || e == run_end::threw || e == run_end::timed_out;
}

/// The `result` label of controller_runtime_reconcile_total.
[[nodiscard]] std::string_view metric_label(run_end e) noexcept;

} // namespace kubecoro::detail
