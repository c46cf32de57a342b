// Texts of containers that come again and again, and the tapes they make.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/** What containers at some places of a document were the last time, by a number that the place keeps.

    A text that begins with the remembered one begins with the same container, so its tape is there to be copied.
    Bounded in number and bytes. */
class repeats
{
public:
    using number = std::uint8_t;
    static constexpr number none = 0;
    /// Shorter containers are parsed as fast; longer ones are seldom alike.
    static constexpr std::size_t shortest = 96;
    static constexpr std::size_t longest = 8192;

    /// When a tape may be copied, and what it stands for.
    struct terms
    {
        /// Under which the writer found the text not too deep.
        std::size_t max_depth = 0;
        /// Bytes that the shared containers in it have more than their numbers.
        std::size_t hidden = 0;
        /// What is in the way of sharing what is around it; the writer's.
        unsigned obstacles = 0;
        /// The object whose versions may have it, where others may not.
        std::optional<unsigned> owner;
    };
    struct entry
    {
        std::string text;
        std::vector<unsigned char> tape;
        terms when;
    };

    [[nodiscard]] const entry& at(number n) const noexcept { return entries_[n]; }
    /// Numbers are below it.
    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
    /// Takes the place of `old`, or of nothing. @return its number; `old` when there is no room.
    number put(number old, std::string_view text, std::span<const unsigned char> tape, const terms& when);
    void clear() noexcept;
    /// Heap bytes.
    [[nodiscard]] std::size_t bytes() const noexcept { return entries_.capacity() * sizeof(entry) + content_; }

private:
    static constexpr std::size_t most = 256;
    static constexpr std::size_t most_bytes = std::size_t{512} << 10;

    /// The first stands for none.
    std::vector<entry> entries_{1};
    std::size_t content_ = 0;
};

} // namespace kubecoro::detail
