#pragma once
// The watch of Leases: common to elections and shards.

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/client.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace kubecoro::detail {

/// Leases of coordination.k8s.io.
[[nodiscard]] resource_type leases();

struct lease_watch
{
    client cluster;
    std::string ns;
    /// Selects the Leases.
    watch_options which;
    std::shared_ptr<time_source> time;
    /// The first pause between attempts to watch; later ones grow.
    duration retry_period;
    /// Seed of the jitter of the pauses. Empty = random: candidates that lost the same server do not return in lockstep.
    std::optional<std::uint64_t> seed;
    /// Called with events, at least one.
    std::function<void(std::span<const watch_event>)> show;
    /// Called after an end of the watch: changes are not shown until the next one, which begins after a pause.
    std::function<void()> ended;
};

/// Watches, again and again. Ends only by failing: the server will not allow it later either.
[[nodiscard]] boost::asio::awaitable<result<>> follow_leases(lease_watch w);

} // namespace kubecoro::detail
