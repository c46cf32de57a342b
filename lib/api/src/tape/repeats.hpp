#pragma once
// Repeated containers: their texts and their tapes, also by text, of those whose places others have taken.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/** Caches, for some places of a document, the last container's text and its tape, by a number that the place keeps.

    A text that begins with the cached one begins with the same container, whose tape can be copied. Bounded in
    number and bytes. */
class repeats
{
public:
    using number = std::uint8_t;
    static constexpr number none = 0;
    /// Shorter containers are parsed as fast; longer ones are rarely alike.
    static constexpr std::size_t shortest = 96;
    static constexpr std::size_t longest = 8192;

    /// How a text is read. The same text, read in the same way, has the same tape.
    struct reading
    {
        /// The schema; null = JSON.
        const void* form = nullptr;
        /// The part of a filter that prunes it, as numbers of field_filter and vocabulary; 0 = it is complete.
        std::uint64_t pruning = 0;

        friend bool operator==(const reading&, const reading&) = default;
    };
    /// Conditions for copying a tape, and its properties.
    struct terms
    {
        /// The depth limit under which the writer accepted the text, and the number of containers around it.
        std::size_t max_depth = 0;
        std::size_t depth = 0;
        /// Bytes of the shared containers in it beyond the size of their numbers.
        std::size_t hidden = 0;
        /// Reasons not to share the surrounding container; defined by the writer.
        unsigned obstacles = 0;
        /// If set, only versions of this object may use the tape.
        std::optional<unsigned> owner;
        reading how;
    };
    struct entry
    {
        std::string text;
        std::vector<unsigned char> tape;
        terms when;
        /// Its tape was copied into another document.
        bool copied = false;
    };

    [[nodiscard]] const entry& at(number n) const noexcept { return entries_[n]; }
    /// Upper bound of the numbers.
    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
    void note_copied(number n) noexcept { entries_[n].copied = true; }
    /// Removes and returns the content of an entry, which stays empty until put() replaces it.
    [[nodiscard]] entry take(number n) noexcept;
    /// Replaces `old`, or adds an entry. @return its number; `old` when there is no room. If an allocation fails, the
    /// entry is empty.
    number put(number old, std::string_view text, std::span<const unsigned char> tape, const terms& when);
    void clear() noexcept;
    /// Heap bytes.
    [[nodiscard]] std::size_t bytes() const noexcept { return entries_.capacity() * sizeof(entry) + content_; }

private:
    static constexpr std::size_t most = 256;
    static constexpr std::size_t most_bytes = std::size_t{512} << 10;

    /// The first entry stands for none.
    std::vector<entry> entries_{1};
    std::size_t content_ = 0;
};

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
