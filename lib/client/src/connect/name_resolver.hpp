#pragma once
// Looks up names for all connections of a client, on detached threads.

#include "connect/lookup_core.hpp"
#include "files/background_call.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/confinement.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace kubecoro::detail {

/// A blocking look-up. Called on any thread, also after everything else is destroyed: it must own what it uses.
using blocking_lookup = std::function<lookup_result(const std::string& name)>;

/// The system's getaddrinfo. Errors: unreachable, internal.
[[nodiscard]] blocking_lookup system_lookup();

/** Shares and caches look-ups: see lookup_core. Thread safe.

    getaddrinfo cannot be interrupted and may take half a minute. Each look-up has its own thread, which is not
    joined: it owns everything it uses, so it may outlive the resolver, its client and their execution contexts, and
    no shutdown waits for it (docs/decisions/0009-connections.md). */
class name_resolver
{
public:
    explicit name_resolver(std::shared_ptr<time_source> time, blocking_lookup lookup = system_lookup());

    /** @par Errors        those of the look-up; internal when the system has no thread or pipe left; cancelled.
        @par Cancellation  terminal, partial, total: ends the wait, not the look-up. */
    [[nodiscard]] boost::asio::awaitable<lookup_result> resolve(std::string name);

private:
    struct outcome
    {
        lookup_result found;
        time_point when;
    };
    using running = background_call<outcome>;
    struct claim
    {
        std::optional<lookup_result> known;
        std::shared_ptr<running> wait_for;
    };
    [[nodiscard]] claim claim_result(const std::string& name);
    /// Begins a look-up that the core has claimed.
    [[nodiscard]] claim begin(const std::string& name);
    void settle(const std::string& name, const std::shared_ptr<running>& ended);

    std::shared_ptr<time_source> time_;
    blocking_lookup lookup_;
    checked_mutex mutex_;
    lookup_core core_;
    std::map<std::string, std::shared_ptr<running>> running_;
};

} // namespace kubecoro::detail
