// Repeated containers whose places others have taken, by their texts.
#pragma once

#include "tape/repeats.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/** Keeps what one place of a document cannot: a list brings the replicas of a template one after the other, and its watch
    brings them in any order.

    Bounded in number and bytes; when it is full, new entries replace others. */
class former_repeats
{
public:
    /// Parsing a shorter text costs little more than finding it.
    static constexpr std::size_t shortest = 256;

    /// Takes an entry over. It replaces the one with its text and terms.
    void keep(repeats::entry e);
    /// The entry with this text, reading and depth; null if there is none. Valid until the next call of keep().
    [[nodiscard]] const repeats::entry* find(std::string_view text, const repeats::reading& how,
                                             std::size_t depth) const noexcept;
    void clear() noexcept;
    /// Heap bytes.
    [[nodiscard]] std::size_t bytes() const noexcept { return sets_.capacity() * sizeof(set) + content_; }

    static constexpr std::size_t most_bytes = std::size_t{4} << 20;

private:
    struct slot
    {
        std::uint64_t hash = 0;
        std::unique_ptr<const repeats::entry> held;
    };
    /// The slots that an entry may take.
    using set = std::array<slot, 4>;
    static constexpr std::size_t first_sets = 16;
    static constexpr std::size_t most_sets = 1024;

    [[nodiscard]] const set& set_of(std::uint64_t hash) const noexcept { return sets_[hash & (sets_.size() - 1)]; }
    /// The slot for an entry: that of an equal one, or a free one, or one that is to be replaced. Null: all are taken.
    [[nodiscard]] slot* slot_for(std::uint64_t hash, const repeats::entry& e) noexcept;
    void grow();
    void empty(slot& s) noexcept;

    std::vector<set> sets_;
    std::size_t content_ = 0;
    /// The slot that makes room next.
    std::size_t hand_ = 0;
};

} // namespace kubecoro::detail
