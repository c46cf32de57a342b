// Remembers the layout of an informer's documents, to predict the next event of the current one.
#pragma once

#include "tape/key_class.hpp"
#include "tape/repeats.hpp"
#include "tape/text_table.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace kubecoro::detail {

/** The members and items of previous documents, as a tree in their order of arrival.

    Documents of one resource are laid out alike: the next key is nearly always the one that followed there the last
    time, and often its text is the same too. One comparison then replaces hashing, finding and counting a text. A
    prediction is only a hint: the writer compares the text, or the number of a schema's field (`node::field`), which
    stands for one text and is reset with the node's key. So the layout affects the cost of writing and not its result.

    Keys and values are entries of the vocabulary that the layout belongs to: a number would take two more dependent
    reads of memory to its text.

    Bounded: a full layout is cleared before the next document. Writers may alternate within their documents: places
    of a layout that has been cleared give wrong predictions, which is harmless. */
class layout
{
public:
    using place = std::uint16_t;
    using entry = text_table::entry;

    static constexpr place nowhere = 0;
    static constexpr place root = 1;
    /// Items of an array with places of their own; the others share the last place.
    static constexpr unsigned most_items = 64;

    /// A member or item.
    struct node
    {
        /// Null: it is an item, or a member whose key has no number.
        const entry* key = nullptr;
        /// The last shared text here, or the last shared container.
        const entry* value = nullptr;
        /// Identifies the key where its text has not been compared: see tape_writer::field(). 0 = unknown.
        std::uint16_t field = 0;
        /// The class of the key; valid with `field`.
        key_class c = key_class::plain;
        /// Consecutive containers that were not found among the former ones.
        unsigned char misses = 0;
        /// The next one in the same container.
        place next = nowhere;
        /// The first one inside it.
        place child = nowhere;
        /// Length width of the last container here.
        unsigned char width = 0;
        /// Consecutive texts that had never been seen before.
        unsigned char strangers = 0;
        /// An item's name, which differs in every object.
        bool is_item = false;
        /// Visits until repetition of its text is checked again, and the number of visits to wait after that.
        unsigned char wait = 0;
        unsigned char next_wait = 0;
        /// The last container here.
        repeats::number repeated = repeats::none;
        bool value_is_text = false;

        /// The last shared text here; null if it is a container.
        [[nodiscard]] const entry* text() const noexcept { return value_is_text ? value : nullptr; }
        /// The last shared container here; null if it is a text.
        [[nodiscard]] const entry* container() const noexcept { return value_is_text ? nullptr : value; }
    };

    static_assert(sizeof(node) == 32);

    /// Position within a container.
    struct cursor
    {
        place container = nowhere;
        place last = nowhere;
        /// The predicted next place.
        place next = nowhere;
    };

    /// @param most  Places, at least 2 and at most 65,535.
    explicit layout(std::size_t most);

    void begin_document() noexcept
    {
        if (full_) clear();
    }
    [[nodiscard]] node& at(place p) noexcept { return nodes_[p]; }
    [[nodiscard]] cursor enter(place container) const noexcept { return {container, nowhere, nodes_[container].child}; }
    /// Moves the cursor to a place in its container.
    void step(cursor& c, place p) const noexcept
    {
        c.last = p;
        c.next = nodes_[p].next;
    }
    /// Moves to the member with this key, which is added when it is not among the next ones; nowhere when there is no
    /// room. Item names replace each other, so that the content of one is predicted for the next.
    place step_to(cursor& c, const entry* key, bool is_item);

    [[nodiscard]] const repeats& repeated() const noexcept { return repeats_; }
    void note_copied(repeats::number n) noexcept { repeats_.note_copied(n); }
    [[nodiscard]] const former_repeats& former() const noexcept { return former_; }
    /// Records the container at this place, which may repeat. The one that it replaces is kept if it did.
    void remember(place p, std::string_view text, std::span<const unsigned char> tape, const repeats::terms& when);

    [[nodiscard]] std::size_t places() const noexcept { return capacity_; }
    /// Heap bytes; any thread.
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

private:
    [[nodiscard]] place find(const cursor& c, const entry* key) const noexcept;
    [[nodiscard]] place add(const cursor& c, const entry* key, bool is_item);
    [[nodiscard]] bool grow();
    void clear() noexcept;
    void publish_bytes() noexcept
    {
        bytes_.store(capacity_ * sizeof(node) + repeats_.bytes() + former_.bytes(), std::memory_order_relaxed);
    }

    std::unique_ptr<node[]> nodes_;
    std::size_t used_ = 2;
    std::size_t capacity_ = 0;
    const std::size_t most_;
    bool full_ = false;
    repeats repeats_;
    former_repeats former_;
    std::atomic<std::size_t> bytes_{0};
};

} // namespace kubecoro::detail
