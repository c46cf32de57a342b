// A bound on the bytes that several connections hold together.
#pragma once

#include <atomic>
#include <cstddef>

namespace kubecoro::apiserver {

/// A limit on the bytes held by all shares together. Thread safe.
class byte_budget
{
public:
    explicit byte_budget(std::size_t limit) noexcept : limit_(limit) {}
    byte_budget(const byte_budget&) = delete;
    byte_budget& operator=(const byte_budget&) = delete;

    [[nodiscard]] std::size_t used() const noexcept { return used_.load(); }

    /// One holder's part of the budget. Used by one thread at a time; the destructor releases it.
    class share
    {
    public:
        explicit share(byte_budget& from) noexcept : from_(from) {}
        ~share() { release(); }
        share(const share&) = delete;
        share& operator=(const share&) = delete;

        /// Changes the bytes held to `bytes`. @return false, with nothing changed, when the budget does not allow it.
        [[nodiscard]] bool resize(std::size_t bytes) noexcept
        {
            if (bytes > held_ && !from_.take(bytes - held_)) return false;
            if (bytes < held_) from_.used_ -= held_ - bytes;
            held_ = bytes;
            return true;
        }
        void release() noexcept { (void)resize(0); }

    private:
        byte_budget& from_;
        std::size_t held_ = 0;
    };

private:
    [[nodiscard]] bool take(std::size_t bytes) noexcept
    {
        if (used_.fetch_add(bytes) + bytes <= limit_) return true;
        used_ -= bytes;
        return false;
    }

    const std::size_t limit_;
    std::atomic<std::size_t> used_{0};
};

} // namespace kubecoro::apiserver
