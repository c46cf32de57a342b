#pragma once
// The system's calls that run a credential plugin, counted, with a failure at the n-th of them. For programs that are linked with
// --wrap of these calls.

#include <cstddef>
#include <string>
#include <vector>

namespace kubecoro::test {

/// The ways in which a call fails.
enum class call_failure
{
    /// With an error that the call may report: no files, no processes, no memory, an I/O error.
    error,
    /// A signal interrupts it, where it may; the others succeed.
    interrupted,
    /// A read is at the end of the pipe; the others succeed.
    ended,
    /// A read gets one byte; the others succeed.
    short_read
};

/// Counts from its construction to its destruction. One at a time; used by one thread.
class failing_calls
{
public:
    /// @param nth  The number of the call that fails; 0 = none.
    failing_calls(std::size_t nth, call_failure how);
    ~failing_calls();
    failing_calls(const failing_calls&) = delete;
    failing_calls& operator=(const failing_calls&) = delete;

    /// The calls so far, by name.
    [[nodiscard]] const std::vector<std::string>& calls() const noexcept { return calls_; }
    /// For the calls themselves. @return whether this one fails.
    [[nodiscard]] bool on_call(const char* name);
    [[nodiscard]] call_failure how() const noexcept { return how_; }

private:
    std::size_t nth_;
    call_failure how_;
    std::vector<std::string> calls_;
};

} // namespace kubecoro::test
