#pragma once

#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/controller/workqueue_options.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace kubecoro::detail {

/// Number of priorities. A level is a priority counted from the lowest.
inline constexpr std::size_t levels = static_cast<std::size_t>(priority::high - priority::low) + 1;

/// The levels that have ready keys: one bit each. Not thread safe.
class level_set
{
public:
    void insert(std::size_t level) noexcept
    {
        words_[level / bits] |= mask(level);
        ++size_;
    }
    void erase(std::size_t level) noexcept
    {
        words_[level / bits] &= ~mask(level);
        --size_;
    }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] std::size_t top() const noexcept
    {
        KUBECORO_EXPECT(size_ != 0);
        std::size_t w = words_.size() - 1;
        while (words_[w] == 0) --w;
        return highest(w, words_[w]);
    }
    /// The next level below, or the top when there is none.
    [[nodiscard]] std::size_t below(std::size_t level) const noexcept
    {
        KUBECORO_EXPECT(size_ != 0);
        std::uint64_t lower = words_[level / bits] & (mask(level) - 1);
        for (std::size_t w = level / bits;; lower = words_[--w]) {
            if (lower != 0) return highest(w, lower);
            if (w == 0) return top();
        }
    }
    /// Calls `what` for every level in the set, from the lowest.
    template<class Do>
    void each(Do what) const
    {
        for (std::size_t w = 0; w < words_.size(); ++w)
            for (std::uint64_t rest = words_[w]; rest != 0; rest &= rest - 1)
                what(w * bits + static_cast<std::size_t>(std::countr_zero(rest)));
    }

private:
    static constexpr std::size_t bits = 64;

    static std::uint64_t mask(std::size_t level) noexcept { return std::uint64_t{1} << (level % bits); }
    static std::size_t highest(std::size_t w, std::uint64_t word) noexcept
    {
        return w * bits + (bits - 1) - static_cast<std::size_t>(std::countl_zero(word));
    }

    std::array<std::uint64_t, (levels + bits - 1) / bits> words_{};
    std::size_t size_ = 0;
};

} // namespace kubecoro::detail
