#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace kubecoro {

/** Derives every hash of this process from `seed`, so that tables iterate in the same order in every run: for tests
    and simulations. By default each process draws random secrets.

    Call it first in main(), before another thread starts. @return false when texts were already hashed with other
    secrets; nothing changes then. */
bool fix_hash_secrets(std::uint64_t seed);

namespace detail {

/// Hash for tables whose keys come from outside: keyed, so that keys cannot be chosen to collide. Different in every
/// process; transparent.
struct text_hash
{
    using is_transparent = void;
    /// Tells Boost's tables that all bits are already mixed.
    using is_avalanching = void;
    /// Hashes the whole text. Any thread.
    [[nodiscard]] std::size_t operator()(std::string_view text) const noexcept;
};

/// The key of a hash. docs/decisions/0007-hash.md states the threat it protects against.
struct hash_secrets
{
    /// Added to words of a text before they are multiplied.
    std::uint64_t word;
    /// Multiplied by the length of a text. Odd.
    std::uint64_t length;
    /// Added to the digest of a text, or of the first of two.
    std::uint64_t left;
    /// Multiplied by the digest of a single text, or added to that of the second of two.
    std::uint64_t right;

    /// Derived from a seed: equal seeds give equal secrets. For tests and simulations.
    [[nodiscard]] static hash_secrets of(std::uint64_t seed);
    /// Unpredictable, from the system.
    [[nodiscard]] static hash_secrets random();
    friend bool operator==(const hash_secrets&, const hash_secrets&) = default;
};

/// The secrets from fix_hash_secrets(), or random ones.
[[nodiscard]] hash_secrets draw_hash_secrets();

/// The secrets of this process, drawn on first use.
[[nodiscard]] inline const hash_secrets& process_secrets() noexcept
{
    static const hash_secrets drawn = draw_hash_secrets();
    return drawn;
}

[[nodiscard]] inline std::uint64_t load_word(const char* at) noexcept
{
    std::uint64_t v = 0;
    std::memcpy(&v, at, 8);
    return v;
}

[[nodiscard]] inline std::uint64_t load_half(const char* at) noexcept
{
    std::uint32_t v = 0;
    std::memcpy(&v, at, 4);
    return v;
}

/// XOR of the two halves of the product.
[[nodiscard]] inline std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) noexcept
{
    __extension__ using wide = unsigned __int128;
    const wide product = static_cast<wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// Digest of the whole text, before final mixing.
[[nodiscard]] inline std::uint64_t digest(std::string_view text, const hash_secrets& k) noexcept
{
    const char* at = text.data();
    std::size_t left = text.size();
    // Multiplied by a secret, so that no text can compensate for the length of another.
    std::uint64_t h = (2 * left + 1) * k.length;
    for (; left > 16; at += 16, left -= 16) h = folded_product(load_word(at) + k.word, load_word(at + 8) + h);
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    if (text.size() > 16) {
        // The last words overlap the previous ones.
        first = load_word(at + left - 16);
        last = load_word(at + left - 8);
    } else if (left >= 8) {
        first = load_word(at);
        last = load_word(at + left - 8);
    } else if (left >= 4) {
        first = load_half(at);
        last = load_half(at + left - 4);
    } else if (left != 0) {
        const auto byte = [at](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(at[i])}; };
        first = byte(0) | (byte(left / 2) << 8) | (byte(left - 1) << 16);
    }
    return folded_product(first + k.word, last + h);
}

[[nodiscard]] inline std::uint64_t hash_text(std::string_view text, const hash_secrets& k = process_secrets()) noexcept
{
    return folded_product(digest(text, k) + k.left, k.right);
}

/// Hashes two texts: a/b and b/a differ, and so do ab/ and a/b.
[[nodiscard]] inline std::uint64_t hash_texts(std::string_view a, std::string_view b,
                                              const hash_secrets& k = process_secrets()) noexcept
{
    return folded_product(digest(a, k) + k.left, digest(b, k) + k.right);
}

} // namespace detail
} // namespace kubecoro
