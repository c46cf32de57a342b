#pragma once
// Executes the plan of happy_eyeballs_core.

#include "connect/happy_eyeballs_core.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <functional>
#include <memory>

namespace kubecoro::detail {

/// Connects to an address of the plan's order(), and keeps the connection. It must own what it uses: when the context
/// is destroyed it may outlive the race.
using dialer = std::function<boost::asio::awaitable<result<>>(std::size_t index)>;

/** Completes when one attempt has succeeded, with its index, or all have failed; by then the others have been
    cancelled and have ended.

    The caller's executor must run one handler at a time.
    @par Errors  those of the plan; cancelled. */
[[nodiscard]] boost::asio::awaitable<result<std::size_t>>
race_connections(std::shared_ptr<time_source> time, std::shared_ptr<happy_eyeballs_core> plan, dialer dial);

} // namespace kubecoro::detail
