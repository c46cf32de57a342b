#pragma once

#include <kubecoro/base/clock.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace kubecoro::detail {

/** Grants turns to relist, first come, first served. Sans-io; not thread safe. */
class relist_budget_core
{
public:
    using ticket = std::uint64_t;

    /// @param at_once  0 = unlimited.
    /// @param longest  A turn that lasts longer no longer counts. 0 = no limit.
    relist_budget_core(std::size_t at_once, duration longest) noexcept : at_once_(at_once), longest_(longest) {}

    /// Requests a turn; see take_granted().
    [[nodiscard]] ticket ask(time_point now);
    /// Gives the turn back, or withdraws the request.
    void leave(ticket t, time_point now);
    /// Called when time has passed: see expires().
    void tick(time_point now);

    /// Returns the tickets granted since the last call.
    [[nodiscard]] std::vector<ticket> take_granted();
    /// Returns when the oldest turn stops counting; nothing while no waiter would benefit.
    [[nodiscard]] std::optional<time_point> expires() const noexcept;
    [[nodiscard]] std::size_t running() const noexcept { return running_.size(); }
    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }

private:
    void grant(time_point now);

    std::size_t at_once_;
    duration longest_;
    ticket next_ = 1;
    std::set<ticket> waiting_;
    /// The turns, with their beginnings. Granted in order: the oldest comes first.
    std::map<ticket, time_point> running_;
    std::vector<ticket> granted_;
};

} // namespace kubecoro::detail
