#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/** Finds slots by the hashes of their keys: open addressing with the hashes stored beside the slots, so that a
    search usually reads one cache line, and growing reads nothing else.

    8 bytes per place, with at least a third of them free. Not thread safe. */
class slot_index
{
public:
    using slot = std::uint32_t;
    static constexpr slot none = UINT32_MAX;
    /// Derived from a std::hash, which may be the identity: every bit of it is mixed in.
    using hash = std::uint32_t;
    [[nodiscard]] static constexpr hash hash_of(std::size_t h) noexcept
    {
        const std::uint64_t wide = h;
        return static_cast<hash>(((wide ^ (wide >> 32)) * 0x9e3779b97f4a7c15u) >> 32);
    }

    /// The slot with this hash for which `is(slot)` is true.
    template<class Is>
    [[nodiscard]] slot find(hash h, Is is) const
    {
        if (size_ == 0) return none;
        for (std::size_t at = home(h); places_[at].s != none; at = next(at))
            if (places_[at].h == h && is(places_[at].s)) return places_[at].s;
        return none;
    }
    /// Calls `what` for every slot in the index.
    template<class Do>
    void each(Do what) const
    {
        for (const auto& p : places_)
            if (p.s != none) what(p.s);
    }
    /// Ensures that the next insert() cannot fail.
    void make_room()
    {
        if ((size_ + 1) * 3 > places_.size() * 2) grow();
    }
    /// Precondition: the slot is not in the index, and make_room() was called.
    void insert(hash h, slot s) noexcept
    {
        put(h, s);
        ++size_;
    }
    /// Precondition: the slot is in the index.
    void erase(hash h, slot s) noexcept
    {
        std::size_t gap = home(h);
        while (places_[gap].s != s) gap = next(gap);
        // Entries that may occupy the gap move there, because a search ends at the first free place.
        for (std::size_t at = next(gap); places_[at].s != none; at = next(at)) {
            if (distance(home(places_[at].h), at) < distance(gap, at)) continue;
            places_[gap] = places_[at];
            gap = at;
        }
        places_[gap].s = none;
        --size_;
    }
    /// Prefetches the place of a hash.
    void prefetch(hash h) const noexcept
    {
        if (!places_.empty()) __builtin_prefetch(&places_[home(h)]);
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] std::size_t bytes() const noexcept { return places_.capacity() * sizeof(place); }

private:
    static constexpr unsigned first_bits = 4;

    struct place
    {
        slot s = none;
        hash h = 0;
    };

    /// By the upper bits, so that growing preserves the order and traverses memory once.
    [[nodiscard]] std::size_t home(hash h) const noexcept { return h >> (32 - bits_); }
    [[nodiscard]] std::size_t next(std::size_t at) const noexcept { return (at + 1) & (places_.size() - 1); }
    [[nodiscard]] std::size_t distance(std::size_t from, std::size_t to) const noexcept
    {
        return (to - from) & (places_.size() - 1);
    }
    void put(hash h, slot s) noexcept
    {
        std::size_t at = home(h);
        while (places_[at].s != none) at = next(at);
        places_[at] = {.s = s, .h = h};
    }
    void grow()
    {
        const unsigned bits = places_.empty() ? first_bits : bits_ + 1;
        const auto before = std::exchange(places_, std::vector<place>(std::size_t{1} << bits));
        bits_ = bits;
        for (const auto& p : before)
            if (p.s != none) put(p.h, p.s);
    }

    std::vector<place> places_;
    unsigned bits_ = first_bits;
    std::size_t size_ = 0;
};

} // namespace kubecoro::detail
