#pragma once

#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <functional>

namespace kubecoro {

/** Calls `work` for the pieces 0 to `pieces` - 1, several concurrently, and completes when all have ended.

    @param workers     Number of pieces processed concurrently. 0 counts as 1.
    @par Errors        the first failure of a piece, reported after all others have ended; an exception counts as a
                       failure. cond::cancelled.
    @par Cancellation  terminal, partial, total: pieces in progress are cancelled and awaited, no others are begun.
    @par Executor      the caller's, which must be serialised (a strand, or a context with one thread). */
[[nodiscard]] boost::asio::awaitable<result<>>
parallelize(std::size_t pieces, std::function<boost::asio::awaitable<result<>>(std::size_t)> work,
            unsigned workers = 8);

} // namespace kubecoro
