#pragma once
// Reads a file for a caller that is no coroutine and must not be held up for long.

#include <kubecoro/client/kubeconfig.hpp>

namespace kubecoro::detail {

/// How long a file may take: a network volume may hang.
inline constexpr std::chrono::seconds longest_first_read{5};

/** Reads the file on a thread of its own, which is left behind when it hangs.

    @param patience  Blocks at most so long.
    Errors: those of environment::read_file; misconfigured, when it takes longer. */
[[nodiscard]] result<std::string> bounded_read(const environment& machine, const std::string& file,
                                               std::size_t max_bytes,
                                               std::chrono::steady_clock::duration patience = longest_first_read);

} // namespace kubecoro::detail
