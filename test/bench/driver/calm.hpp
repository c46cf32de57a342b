#pragma once

#include <vector>

namespace kubecoro::bench {

/** Waits until none of these cores is stopped any more: seconds in a row, but not for ever.

    A virtual machine gives memory that a large process has left back to its host, which may stop all of it for tens of
    milliseconds at a time while it takes it. That goes on for a while, and the next subject would pay for it.

    @return false when it gave up. */
bool wait_for_calm(const std::vector<int>& cores);

} // namespace kubecoro::bench
