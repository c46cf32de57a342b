#pragma once

#include <kubecoro/client/transport.hpp>

#include <cstddef>
#include <memory>

namespace kubecoro::detail {

/** Sends at most `most` requests at a time over another transport; the others wait in the order of their calls, and may
    be cancelled. A request ends when its answer is destroyed.

    Watches and followed logs do not count: they last, and would leave nothing for the others. Thread safe. */
[[nodiscard]] std::shared_ptr<transport> limit_requests(std::shared_ptr<transport> over, std::size_t most);

} // namespace kubecoro::detail
