#pragma once
// Classifies the end of a run. Sans-io.

#include <kubecoro/base/result.hpp>
#include <kubecoro/controller/action.hpp>

#include <cstddef>
#include <string_view>

namespace kubecoro::detail {

enum class run_end
{
    succeeded,
    /// A success that requested another run.
    requeued,
    failed,
    terminal,
    threw,
    timed_out,
    /// Cancelled by the controller.
    cancelled
};
inline constexpr std::size_t run_ends = 7;

/// Circumstances of a run's outcome.
struct run_facts
{
    bool threw = false;
    bool past_deadline = false;
    /// Whether the controller has cancelled its runs.
    bool cancelling = false;
};

[[nodiscard]] run_end judge(const result<action>& outcome, const run_facts& facts) noexcept;

/// Whether the key is retried after its backoff.
[[nodiscard]] constexpr bool is_retried(run_end e) noexcept
{
    return e == run_end::failed || e == run_end::threw || e == run_end::timed_out;
}

/// The end's name, for people.
[[nodiscard]] std::string_view to_string(run_end e) noexcept;

/// The `result` label of controller_runtime_reconcile_total.
[[nodiscard]] std::string_view metric_label(run_end e) noexcept;

} // namespace kubecoro::detail
