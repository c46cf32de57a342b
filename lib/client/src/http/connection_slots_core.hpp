#pragma once
// Limits the connections in use at a time; the others queue. Sans-io.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>

namespace kubecoro::detail {

/// Grants a fixed number of slots, in the order of the requests for them. Every request gives up its place at its end,
/// however many others wait: nothing here takes time linear in their number.
class connection_slots_core
{
public:
    /// Each user has a greater one than those before.
    using id = std::uint64_t;

    /// @param slots  At least 1.
    explicit connection_slots_core(std::size_t slots) noexcept : free_(slots) {}

    /// Whether there is a free slot for this user; otherwise it waits.
    [[nodiscard]] bool enter(id user)
    {
        if (free_ == 0) {
            waiting_.insert(waiting_.end(), user);
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
        return waiting_.extract(waiting_.begin()).value();
    }
    /// A user no longer waits. @return false if it does not: it has a slot, which it must leave.
    [[nodiscard]] bool give_up(id user) { return waiting_.erase(user) != 0; }

    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }

private:
    std::size_t free_;
    std::set<id> waiting_;
};

} // namespace kubecoro::detail
