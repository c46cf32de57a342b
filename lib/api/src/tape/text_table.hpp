#pragma once
// A table of recurring texts by number, and how its room is divided among the owners of its content.

#include "text/same_text.hpp"

#include <kubecoro/base/hash.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/** Amounts taken by the owners of a table's content, such as namespaces.

    An owner may take more while it holds at most `factor` times the free room, as queues share the buffer of a switch
    ("dynamic thresholds"). One owner can fill three quarters of a table and n owners 3n/(1+3n) of it: no part is
    reserved in advance, and no owner leaves the others without room. An owner is one of 255 numbers: those with equal
    numbers share one part. */
class owner_shares
{
public:
    using owner = std::uint8_t;
    /// Content without an owner, which has no limit of its own.
    static constexpr owner none = 0;
    static constexpr std::size_t factor = 3;

    [[nodiscard]] static owner of(std::string_view name) noexcept
    {
        return name.empty() ? none : static_cast<owner>(1 + hash_text(name) % 255);
    }
    /// @param free  The free room, in the unit of all amounts.
    [[nodiscard]] bool may_take(owner o, std::size_t amount, std::size_t free) const noexcept
    {
        return amount <= free && (o == none || taken_[o] <= factor * free);
    }
    void take(owner o, std::size_t amount) noexcept { taken_[o] += static_cast<std::uint32_t>(amount); }

private:
    std::array<std::uint32_t, 256> taken_{};
};

/** Texts by number, in the order of their admission: append-only, bounded; entries never move or change.

    A text is admitted after it was seen in several documents. Sightings are counted in a bounded table as well,
    where rare texts give way to others. Texts of one owner leave room for those of others: see owner_shares. One
    writer; any number of readers of the numbers that were returned. */
class text_table
{
public:
    using number = std::uint32_t;

    struct limits
    {
        /// Maximum number of texts, at most 73,984, and their total bytes. No text is admitted beyond 16 MiB with all gaps.
        std::size_t most;
        std::size_t most_bytes;
        /// Maximum bytes of one text; 4,088 if it is more.
        std::size_t longest;
        /// Documents before a text is admitted, at most 7; doubled once half of the numbers are taken.
        unsigned sightings;
        /// Texts counted at a time, a power of two.
        std::size_t candidates;
        /// Maximum number of texts that users choose.
        std::size_t users = 0;
        /// Computes the writer's remark on a text; null for none.
        std::uint16_t (*remark)(std::string_view) = nullptr;
    };

    /// The head of an admitted text, which follows it: finding a text waits for the memory of its slot and of this.
    struct entry
    {
        number n;
        std::uint16_t size;
        std::uint16_t remark;

        [[nodiscard]] std::string_view view() const noexcept { return {reinterpret_cast<const char*>(this + 1), size}; }
    };

    /// The source of a text.
    struct origin
    {
        origin(unsigned d, owner_shares::owner o = owner_shares::none, bool is_users = false) noexcept
            : document(d), owner(o), users(is_users)
        {
        }

        unsigned document;
        owner_shares::owner owner;
        /// Users choose the text, as in labels and annotations.
        bool users;
    };

    struct sighting
    {
        /// An admitted text; null if it is not admitted.
        const entry* known = nullptr;
        /// The text is not admitted, but was seen in another document.
        bool again = false;
    };

    explicit text_table(limits l) noexcept;

    // ---- For the writer

    /// Null if the text is not admitted.
    [[nodiscard]] const entry* find(std::string_view text, std::uint64_t hash) const noexcept;
    /// Like find; a text not found is counted, once per document, and admitted when it was seen often enough.
    [[nodiscard]] sighting see(std::string_view text, std::uint64_t hash, origin from);
    /// Like see, while the origin is unknown: admits a text that was already counted often enough.
    [[nodiscard]] sighting recall(std::string_view text, std::uint64_t hash);
    /// Counts a text of this size that recall() did not find, once its origin is known.
    void count_later(std::uint64_t hash, std::size_t size, origin from);
    /// Admits a text at once, unless there is no room.
    void admit(std::string_view text);
    [[nodiscard]] bool has_room(std::string_view text) const noexcept
    {
        return text.size() <= limits_.longest && size() < limits_.most &&
               text.size() <= limits_.most_bytes - text_bytes_;
    }
    /// Limits the share of numbers for texts that users choose.
    [[nodiscard]] bool has_room_for_users() const noexcept { return users_ < limits_.users; }

    // ---- For any thread

    /// data() is null for a number that was never returned.
    [[nodiscard]] std::string_view at(number n) const noexcept
    {
        // Readers take the number from an object that was published after its entry was written.
        if (n >= size_.load(std::memory_order_acquire)) return {};
        return entry_of(n).view();
    }
    /// True if this is the text of that number. Most texts differ in size, which avoids comparing them.
    [[nodiscard]] bool is(number n, std::string_view text) const noexcept
    {
        return n < size() && entry_of(n).size == text.size() && same_text(entry_of(n).view(), text);
    }
    /// Size and last byte of a text: texts with different marks differ.
    using mark = std::uint16_t;
    [[nodiscard]] static mark mark_of(std::string_view text) noexcept
    {
        if (text.empty()) return 0;
        return static_cast<mark>(static_cast<unsigned char>(text.back()) << 8 | (text.size() & 0xff));
    }
    /// The mark of a returned number below 256: a search through members needs no more of most of their names.
    [[nodiscard]] mark mark_at(std::uint8_t n) const noexcept { return marks_[n]; }
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

    /// @param n  A returned number.
    [[nodiscard]] const entry& entry_of(number n) const noexcept
    {
        return *chunks_[n / chunk_entries][n % chunk_entries];
    }
    [[nodiscard]] std::uint32_t& candidate(std::uint64_t hash);
    /// Number of sightings that admit a text.
    [[nodiscard]] unsigned enough() const noexcept;
    [[nodiscard]] count count_sighting(std::uint64_t hash, std::size_t size, origin from);
    /// Takes the room of a text out of its owner's share. Returns false when the owner may have no more.
    [[nodiscard]] bool take_room(std::size_t size, origin from) noexcept;
    [[nodiscard]] const entry* append(std::string_view text, std::uint64_t hash);
    /// An entry by its distance from the first one, in units of its alignment.
    using position = std::uint32_t;
    /// Returns the position of the next text, whose size is given. Adds a block when the last one is full.
    [[nodiscard]] position next_position(std::size_t size);
    void make_chunk(number n);
    void store(position p, const entry& head, std::string_view text) noexcept;
    [[nodiscard]] char* address_of(position p) const noexcept;
    [[nodiscard]] const entry& entry_at(position p) const noexcept;
    [[nodiscard]] bool place(position p, std::uint64_t hash) noexcept;
    void grow_index();
    void grow_candidates();
    void count_bytes(std::size_t n) noexcept { bytes_.fetch_add(n, std::memory_order_relaxed); }

    const limits limits_;
    std::array<mark, 256> marks_{};
    std::array<std::unique_ptr<const entry*[]>, chunks> chunks_;
    std::atomic<std::uint32_t> size_{0};
    std::atomic<std::size_t> bytes_{0};

    // Writer only. Open addressing; a slot is 11 bits of hash and 21 bits of position + 1, 0 = free.
    std::vector<std::uint32_t> index_;
    // A slot is 20 bits of hash, 8 bits of the last document, 4 bits of count.
    std::vector<std::uint32_t> candidates_;
    std::size_t counted_ = 0;
    std::vector<std::unique_ptr<char[]>> blocks_;
    std::size_t block_room_ = 0;
    std::size_t text_bytes_ = 0;
    // In bytes; of the texts that users choose, also in numbers. Taken when a text has been seen often enough.
    owner_shares shares_;
    owner_shares users_shares_;
    std::size_t users_ = 0;
};

} // namespace kubecoro::detail
