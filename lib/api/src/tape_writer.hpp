#pragma once

#include "tape_format.hpp"
#include "vocabulary.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/** Writes one JSON value as a tape from events in document order; reused for the next after clear().

    Every event returns false once a limit is broken, and problem() says which. Events must be well nested, as a
    parser's are. */
class tape_writer
{
public:
    enum class trouble
    {
        none,
        too_large,
        too_deep
    };

    /// @param words  What the tape may refer to, and what learns from it; null for a tape that stands alone.
    tape_writer(std::size_t max_bytes, std::size_t max_depth, vocabulary* words = nullptr) noexcept;

    void clear();
    [[nodiscard]] bool begin_object() { return begin(true); }
    [[nodiscard]] bool begin_array() { return begin(false); }
    [[nodiscard]] bool end();
    [[nodiscard]] bool key(std::string_view text);
    [[nodiscard]] bool string(std::string_view text);
    [[nodiscard]] bool integer(std::int64_t value);
    /// A number that is not an integer of 64 bits in canonical form.
    [[nodiscard]] bool number(std::string_view text);
    [[nodiscard]] bool boolean(bool value) { return single(value ? tag::true_ : tag::false_); }
    [[nodiscard]] bool null() { return single(tag::null); }

    /// Containers that are open.
    [[nodiscard]] std::size_t depth() const noexcept { return depth_; }
    [[nodiscard]] trouble problem() const noexcept { return trouble_; }
    /// Complete when depth() is 0.
    [[nodiscard]] std::span<const unsigned char> bytes() const noexcept { return {data_.get(), size_}; }

private:
    struct frame
    {
        std::uint32_t start = 0;
        /// Members so far, as long as they are told apart.
        std::uint8_t members = 0;
        unsigned char width = 0;
        /// Where the width was guessed from.
        std::uint8_t place = 0;
        bool is_object = false;
        /// May hold a key twice.
        bool loose = false;
        /// Nothing below is learnt.
        bool secret = false;
        /// The root's `metadata`.
        bool is_metadata = false;
        /// A bit for each key so far, by its hash.
        std::array<std::uint64_t, 2> keys{};
    };
    /// What the last key says about its value.
    enum class hint : std::uint8_t
    {
        none,
        secret,
        metadata,
        identity
    };

    [[nodiscard]] bool begin(bool is_object);
    [[nodiscard]] bool single(unsigned char t);
    [[nodiscard]] bool text(unsigned char family, std::string_view s);
    [[nodiscard]] bool shared(text_table::number n);
    [[nodiscard]] bool inline_key(std::string_view s);
    /// Room for n bytes, which count as written; null when a limit is broken.
    [[nodiscard]] unsigned char* grow(std::size_t n)
    {
        if (n > room_) return grow_slowly(n);
        unsigned char* const at = data_.get() + size_;
        size_ += n;
        room_ -= n;
        return at;
    }
    [[nodiscard]] unsigned char* grow_slowly(std::size_t n);
    void shrink_to(std::size_t size) noexcept
    {
        room_ += size_ - size;
        size_ = size;
    }
    [[nodiscard]] frame& innermost() noexcept { return frames_[depth_ - 1]; }
    [[nodiscard]] const frame& innermost() const noexcept { return frames_[depth_ - 1]; }
    [[nodiscard]] bool fail(trouble t) noexcept;
    [[nodiscard]] bool may_learn_key(std::string_view s) const noexcept;
    [[nodiscard]] bool may_learn_value() const noexcept;
    [[nodiscard]] hint hint_of(std::string_view key) const noexcept;
    void note_key(frame& f, std::string_view key, std::uint64_t hash) const noexcept;
    [[nodiscard]] bool has_key(const frame& f, std::string_view key) const noexcept;

    std::unique_ptr<unsigned char[]> data_;
    std::size_t size_ = 0;
    /// Bytes that may follow before grow_slowly(); 0 once there is trouble.
    std::size_t room_ = 0;
    std::size_t capacity_ = 0;
    /// One for each level there was so far; the first depth_ are open.
    std::vector<frame> frames_;
    std::size_t depth_ = 0;
    /// Width of the length that the last container in a place needed: the guess for the next one.
    std::array<unsigned char, 256> widths_{};
    vocabulary* words_;
    unsigned document_ = 0;
    std::size_t max_bytes_;
    std::size_t max_depth_;
    std::uint8_t place_ = 0;
    hint hint_ = hint::none;
    trouble trouble_ = trouble::none;
};

} // namespace kubecoro::detail
