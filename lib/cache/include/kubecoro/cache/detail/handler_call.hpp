// The beginning of a handler's call, of one type for all events and kinds.
#pragma once

#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>

namespace kubecoro::detail {

/// A call of a handler that has begun. A plain function has ended too and leaves both empty.
struct handler_call
{
    /// Keeps the event alive that was made for the coroutine. Declared first, so that it outlives it.
    std::shared_ptr<const void> event = {};
    /// The coroutine, which does not throw.
    boost::asio::awaitable<result<>> rest = {};
};

} // namespace kubecoro::detail
