// A bound on the bytes of answers that connections hold together.
#pragma once

#include <atomic>
#include <cstddef>

namespace kubecoro::detail {

/// Strand-confined, except used().
class answer_budget
{
public:
    explicit answer_budget(std::size_t limit) noexcept : limit_(limit) {}
    [[nodiscard]] std::size_t used() const noexcept { return used_; }
    [[nodiscard]] std::size_t limit() const noexcept { return limit_; }

    /// One answer's part of the budget.
    class share
    {
    public:
        share(answer_budget& from, std::size_t bytes) noexcept : from_(from), granted_(resize(bytes)) {}
        ~share() { from_.used_ -= held_; }
        share(const share&) = delete;
        share& operator=(const share&) = delete;
        [[nodiscard]] explicit operator bool() const noexcept { return granted_; }
        /// @return false when there is no room: it then has what it had.
        [[nodiscard]] bool resize(std::size_t bytes) noexcept
        {
            if (bytes > from_.limit_ - (from_.used_ - held_)) return false;
            from_.used_ += bytes - held_;
            held_ = bytes;
            return true;
        }

    private:
        answer_budget& from_;
        std::size_t held_ = 0;
        bool granted_;
    };

private:
    const std::size_t limit_;
    std::atomic<std::size_t> used_{0};
};

} // namespace kubecoro::detail
