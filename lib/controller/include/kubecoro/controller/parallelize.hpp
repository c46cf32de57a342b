#pragma once

#include <kubecoro/base/name_first.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <functional>

namespace kubecoro {

/// Options of parallelize().
struct parallel_options
{
    /// Pieces that are worked on at the same time. 0 counts as 1.
    unsigned workers = 8;
    /// Pieces that a worker takes at once. 0 counts as 1.
    std::size_t chunk = 1;
};

/** Does `work` for the pieces 0 to `pieces` - 1, several at the same time, and completes when all have ended.

    @par Errors        the first failure of a piece, after all others have ended nevertheless; what a piece throws counts as
                       its failure. cond::cancelled.
    @par Cancellation  terminal, partial, total: pieces in work are cancelled and awaited, no others are begun.
    @par Executor      the caller's, which must be serialised (a strand, or a context with one thread). */
[[nodiscard]] boost::asio::awaitable<result<>>
parallelize(std::size_t pieces, named_first<std::function<boost::asio::awaitable<result<>>(std::size_t)>> work,
            parallel_options how = parallel_options());

} // namespace kubecoro
