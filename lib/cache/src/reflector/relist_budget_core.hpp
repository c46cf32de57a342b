#pragma once

#include <kubecoro/base/clock.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace kubecoro::detail {

/** Who may list again, and who waits: first come, first served. Sans-io; not thread safe. */
class relist_budget_core
{
public:
    using ticket = std::uint64_t;

    /// @param at_once  0 = any number.
    /// @param longest  A turn that lasts longer no longer counts. 0 = it does.
    relist_budget_core(std::size_t at_once, duration longest) noexcept : at_once_(at_once), longest_(longest) {}

    /// Asks for a turn; see take_granted().
    [[nodiscard]] ticket ask(time_point now);
    /// Gives the turn back, or does not want it any more.
    void leave(ticket t, time_point now);
    /// Time has passed: see expires().
    void tick(time_point now);

    /// Tickets whose turn has come since the last call.
    [[nodiscard]] std::vector<ticket> take_granted();
    /// When the oldest turn will no longer count; nothing while nobody would gain by it.
    [[nodiscard]] std::optional<time_point> expires() const noexcept;
    [[nodiscard]] std::size_t running() const noexcept { return running_.size(); }
    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }

private:
    struct turn
    {
        ticket owner;
        time_point began;
    };
    void grant(time_point now);

    std::size_t at_once_;
    duration longest_;
    ticket next_ = 1;
    std::deque<ticket> waiting_;
    /// The oldest first.
    std::vector<turn> running_;
    std::vector<ticket> granted_;
};

} // namespace kubecoro::detail
