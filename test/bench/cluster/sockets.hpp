#pragma once

#include <cstdint>
#include <string_view>

namespace kubecoro::bench::live {

/** The bytes that a process has received on its open TCP connections, out of the output of `ss -tinpH`: two lines for
    each connection, of which the first names the process and the second has the counters. */
[[nodiscard]] std::uint64_t bytes_received(std::string_view listing, int pid);

} // namespace kubecoro::bench::live
