// Texts that recur, by number.
#pragma once

#include "tape/same_text.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/** Texts by number, in the order of their admission: append-only, bounded, no entry ever moves or changes.

    A text is admitted when it was seen in several documents. What was seen is counted in a bounded table as well, where
    rare texts make room for others. One writer; any number of readers of the numbers that were handed out. */
class text_table
{
public:
    using number = std::uint32_t;

    struct limits
    {
        /// Texts, at most 73984, and their bytes in all.
        std::size_t most;
        std::size_t most_bytes;
        /// Bytes of one, at most 65,535.
        std::size_t longest;
        /// Documents before a text is admitted, at most 7: twice as many from when half of the numbers are taken.
        unsigned sightings;
        /// Texts that are being counted at once, a power of two.
        std::size_t candidates;
        /// What the writer wants to know of every text; null for nothing.
        std::uint16_t (*remark)(std::string_view) = nullptr;
    };

    struct entry
    {
        const char* text;
        /// The low bits of its hash: what a larger index needs, without a look at all texts.
        std::uint32_t hash;
        std::uint16_t size;
        std::uint16_t remark;

        [[nodiscard]] std::string_view view() const noexcept { return {text, size}; }
    };

    struct sighting
    {
        /// Of a text that is there.
        std::optional<number> known;
        /// Of one that is not: it has been seen in another document.
        bool again = false;
    };

    explicit text_table(limits l) noexcept : limits_(l) {}

    // ---- the writer

    [[nodiscard]] std::optional<number> find(std::string_view text, std::uint64_t hash) const noexcept;
    /// Like find; a text that is not there yet is counted, once for each `document`, and admitted in time.
    [[nodiscard]] sighting see(std::string_view text, std::uint64_t hash, unsigned document);
    /// Like see, before it is known which document to count for: admits a text that was counted often enough already.
    [[nodiscard]] sighting recall(std::string_view text, std::uint64_t hash);
    /// Counts a text that recall() did not find, now that its document is known.
    void count_later(std::uint64_t hash, unsigned document);
    /// @param n  One that was handed out.
    [[nodiscard]] const entry& entry_of(number n) const noexcept
    {
        return chunks_[n / chunk_entries][n % chunk_entries];
    }
    /// Takes a text in at once, unless there is no room.
    void admit(std::string_view text);
    [[nodiscard]] bool has_room(std::string_view text) const noexcept
    {
        return text.size() <= limits_.longest && size() < limits_.most &&
               text.size() <= limits_.most_bytes - text_bytes_;
    }

    // ---- any thread

    /// data() is null for a number that was never handed out.
    [[nodiscard]] std::string_view at(number n) const noexcept
    {
        // Readers have the number from an object that was handed to them after its entry was written.
        if (n >= size_.load(std::memory_order_acquire)) return {};
        return entry_of(n).view();
    }
    /// It is the text of that number. Most are told apart by their size, without a look at the text.
    [[nodiscard]] bool is(number n, std::string_view text) const noexcept
    {
        return n < size() && entry_of(n).size == text.size() && same_text(entry_of(n).view(), text);
    }
    [[nodiscard]] std::size_t size() const noexcept { return size_.load(std::memory_order_acquire); }
    /// Heap bytes.
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

private:
    enum class count : std::uint8_t
    {
        first,
        again,
        enough
    };
    static constexpr std::size_t chunk_entries = 256;
    static constexpr std::size_t chunks = 289;

    [[nodiscard]] std::uint32_t& candidate(std::uint64_t hash);
    /// Sightings that admit a text.
    [[nodiscard]] unsigned enough() const noexcept;
    [[nodiscard]] count count_sighting(std::uint64_t hash, unsigned document);
    std::optional<number> append(std::string_view text, std::uint64_t hash);
    [[nodiscard]] const char* keep(std::string_view text);
    [[nodiscard]] bool place(number n, std::uint32_t hash) noexcept;
    void grow_index();
    void grow_candidates();
    void count_bytes(std::size_t n) noexcept { bytes_.fetch_add(n, std::memory_order_relaxed); }

    const limits limits_;
    std::array<std::unique_ptr<entry[]>, chunks> chunks_;
    std::atomic<std::uint32_t> size_{0};
    std::atomic<std::size_t> bytes_{0};

    // The writer's own: open addressing; a slot is 15 bits of hash and 17 bits of number + 1, 0 = free.
    std::vector<std::uint32_t> index_;
    // A slot is 20 bits of hash, 8 bits of the last document, 4 bits of count.
    std::vector<std::uint32_t> candidates_;
    std::size_t counted_ = 0;
    std::vector<std::unique_ptr<char[]>> texts_;
    std::size_t text_room_ = 0;
    std::size_t text_bytes_ = 0;
};

} // namespace kubecoro::detail
