#pragma once

#include <vector>

namespace kubecoro::bench {

/** Waits until none of these cores has been stopped by the host for seconds in a row, up to a limit.

    A virtual machine returns the memory of an ended large process to its host, which may stop the whole machine for
    tens of milliseconds at a time. This takes a while, and the next subject would pay for it.

    @return false when the limit was reached. */
bool wait_for_calm(const std::vector<int>& cores);

} // namespace kubecoro::bench
