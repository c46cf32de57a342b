#pragma once

#include <cstdint>
#include <vector>

namespace kubecoro::bench {

/** Waits until none of these cores has been stopped by the host for seconds in a row, up to a limit.

    A virtual machine returns the memory of an ended large process to its host, which may stop the whole machine for
    tens of milliseconds at a time. This takes a while, and the next subject would pay for it.

    @return false when the limit was reached. */
bool wait_for_calm(const std::vector<int>& cores);

/// Gives each subject the same machine: memory touched, and calm after much of it became free.
class calm_machine
{
public:
    /// @param warm_mb  Memory to touch before each round; 0 = none, and no waiting.
    explicit calm_machine(std::uint64_t warm_mb) : warm_mb_(warm_mb) {}
    /// Before a round.
    void warm();
    /// Before a subject: waits if much memory became free since the last wait. Without warm memory the figures are not
    /// comparable. Gives up for good on a machine that is never calm.
    void calm_down();
    /// After a subject has ended that held that much memory.
    void left_behind(std::uint64_t bytes) noexcept { left_behind_ = bytes; }
    /// The same for a subject whose memory is not known.
    void left_unknown() noexcept;

private:
    std::uint64_t warm_mb_;
    std::uint64_t left_behind_ = 0;
    int restless_ = 0;
};

} // namespace kubecoro::bench
