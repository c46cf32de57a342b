// What documents of one informer have looked like: what the next event of the one in work will be, most likely.
#pragma once

#include "vocabulary/repeats.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace kubecoro::detail {

/** The members and items that documents had so far, as a tree in the order they came in.

    Documents of one resource are laid out alike: the key that comes next is nearly always the one that came there the
    last time, and often the text behind it is the same too. One comparison then takes the place of hashing, finding and
    counting a text. A guess is never more than a guess: whoever takes it compares the text, so what is remembered
    here decides what writing costs and not what is written.

    Bounded: a layout that has become full starts anew with the next document. Writers may take turns in the middle of
    their documents: places of a layout that has been cleared meanwhile make bad guesses and nothing worse. */
class layout
{
public:
    using place = std::uint16_t;
    using key_number = std::uint16_t;

    static constexpr place nowhere = 0;
    static constexpr place root = 1;
    /// Key of items, and of members whose key has no number.
    static constexpr key_number nameless = 0xffff;
    static constexpr std::uint32_t container_0 = 0x80000000;
    static constexpr std::uint32_t no_value = 0xffffffff;
    /// Items of an array that have places of their own; the others share the last one.
    static constexpr unsigned most_items = 64;

    /// A member or item.
    struct node
    {
        key_number key = nameless;
        /// The one behind it in the same container.
        place next = nowhere;
        /// The first one in it.
        place child = nowhere;
        /// Of the length of the last container here.
        unsigned char width = 0;
        /// Texts in a row that nobody had seen before.
        unsigned char strangers = 0;
        /// The name of an item, which is another one in every object.
        bool is_item = false;
        /// Visits until it is looked again whether its text repeats, and how many it will be the next time.
        unsigned char wait = 0;
        unsigned char next_wait = 0;
        /// What the container here was the last time.
        repeats::number repeated = repeats::none;
        /// Number of the last shared text here, or container_0 and that of the last shared container.
        std::uint32_t value = no_value;
    };

    /// How far a container has come.
    struct cursor
    {
        place container = nowhere;
        place last = nowhere;
        /// What comes next if it comes as it did before.
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
    /// The cursor comes to a place in its container.
    void step(cursor& c, place p) const noexcept
    {
        c.last = p;
        c.next = nodes_[p].next;
    }
    /// Comes to the member with that key, made when it is not among the next ones; nowhere when there is no room. Names
    /// of items take each other's place, so that what is in one is expected in the next one.
    place step_to(cursor& c, key_number key, bool is_item);

    [[nodiscard]] const repeats& repeated() const noexcept { return repeats_; }
    /// The place was that container, and may be it again.
    void remember(place p, std::string_view text, std::span<const unsigned char> tape, const repeats::terms& when);

    [[nodiscard]] std::size_t places() const noexcept { return capacity_; }
    /// Heap bytes; any thread.
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

private:
    [[nodiscard]] place find(const cursor& c, key_number key) const noexcept;
    [[nodiscard]] place add(const cursor& c, key_number key, bool is_item);
    [[nodiscard]] bool grow();
    void clear() noexcept;
    void publish_bytes() noexcept
    {
        bytes_.store(capacity_ * sizeof(node) + repeats_.bytes(), std::memory_order_relaxed);
    }

    std::unique_ptr<node[]> nodes_;
    std::size_t used_ = 2;
    std::size_t capacity_ = 0;
    const std::size_t most_;
    bool full_ = false;
    repeats repeats_;
    std::atomic<std::size_t> bytes_{0};
};

} // namespace kubecoro::detail
