#pragma once
// Limits the connections in use at a time; the others queue. Sans-io.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace kubecoro::detail {

/// Grants a fixed number of slots, in the order of the requests for them.
class connection_slots_core
{
public:
    using id = std::uint64_t;

    /// @param slots  At least 1.
    explicit connection_slots_core(std::size_t slots) noexcept : free_(slots) {}

    /// Whether there is a free slot for this user; otherwise it waits.
    [[nodiscard]] bool enter(id user)
    {
        if (free_ == 0) {
            waiting_.push_back(user);
            return false;
        }
        --free_;
        return true;
    }
    /// A user leaves its slot. @return the one who has it now.
    [[nodiscard]] std::optional<id> leave()
    {
        if (waiting_.empty()) {
            ++free_;
            return std::nullopt;
        }
        const id next = waiting_.front();
        waiting_.pop_front();
        return next;
    }
    /// A user no longer waits. @return false if it does not: it has a slot, which it must leave.
    [[nodiscard]] bool give_up(id user) { return std::erase(waiting_, user) != 0; }

    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }

private:
    std::size_t free_;
    std::deque<id> waiting_;
};

} // namespace kubecoro::detail
