#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace kubecoro::detail {

/// Identifies a key of a queue.
using key_slot = std::uint32_t;
inline constexpr key_slot no_slot = UINT32_MAX;

/// The state of one key, with its links in the one list that it is in.
struct key_entry
{
    key_slot next = no_slot;
    key_slot previous = no_slot;
    /// Orders the ready keys by age.
    std::uint64_t sequence = 0;
    std::uint32_t failures = 0;
    std::int16_t priority = 0;
    bool dirty = false;
    bool processing = false;
};

/// A list of keys, linked through their entries.
struct slot_list
{
    key_slot first = no_slot;
    key_slot last = no_slot;

    [[nodiscard]] bool empty() const noexcept { return first == no_slot; }
};

/** The entries of all keys of a queue, by slot: in pages, so that a growing queue copies nothing. Not thread safe. */
class key_entries
{
public:
    static constexpr std::size_t page_size = 64;

    [[nodiscard]] key_entry& at(key_slot s) noexcept { return (*pages_[s / page_size])[s % page_size]; }
    [[nodiscard]] const key_entry& at(key_slot s) const noexcept { return (*pages_[s / page_size])[s % page_size]; }

    /// Links the entry `e` of `s`.
    void append(slot_list& l, key_slot s, key_entry& e) noexcept
    {
        e.next = no_slot;
        e.previous = l.last;
        (l.last == no_slot ? l.first : at(l.last).next) = s;
        l.last = s;
    }
    void unlink(slot_list& l, const key_entry& e) noexcept
    {
        (e.previous == no_slot ? l.first : at(e.previous).next) = e.next;
        (e.next == no_slot ? l.last : at(e.next).previous) = e.previous;
    }

    [[nodiscard]] bool has_room(key_slot s) const noexcept { return s < room(); }
    /// Number of slots that have an entry.
    [[nodiscard]] std::size_t room() const noexcept { return pages_.size() * page_size; }
    void make_room(key_slot s)
    {
        while (!has_room(s)) pages_.push_back(std::make_unique<page>());
    }
    void shrink() noexcept { pages_ = std::vector<std::unique_ptr<page>>(); } // assigning {} would keep the memory
    [[nodiscard]] std::size_t bytes() const noexcept { return pages_.size() * (sizeof(page) + sizeof(pages_[0])); }

private:
    using page = std::array<key_entry, page_size>;

    std::vector<std::unique_ptr<page>> pages_;
};

} // namespace kubecoro::detail
