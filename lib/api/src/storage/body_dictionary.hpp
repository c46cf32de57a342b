// Compresses and expands bodies with zstd and a trained dictionary.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;
struct ZSTD_CDict_s;
struct ZSTD_DDict_s;

namespace kubecoro::detail {

using byte_span = std::span<const unsigned char>;

/// Compression effort: zstd level 2, or -5 where data barely compresses.
enum class effort : std::uint8_t
{
    normal,
    light
};

struct zstd_free
{
    void operator()(ZSTD_CCtx_s* c) const noexcept;
    void operator()(ZSTD_DCtx_s* d) const noexcept;
    void operator()(ZSTD_CDict_s* c) const noexcept;
    void operator()(ZSTD_DDict_s* d) const noexcept;
};

/** A trained dictionary, ready for use. Immutable except for the count of records that use it, which its owner
    manages. Any number of threads may use one, each with its own compressor or expander. */
class body_dictionary
{
public:
    /** Trains on samples, in a few ms: the dictionary begins with whole samples, and zstd learns the statistics of
        the rest. Null when zstd finds nothing to learn: too few samples, or nothing in common. */
    [[nodiscard]] static std::unique_ptr<body_dictionary> train(std::span<const std::vector<unsigned char>> samples,
                                                                std::size_t capacity);
    body_dictionary(const body_dictionary&) = delete;
    body_dictionary& operator=(const body_dictionary&) = delete;

    /// Heap bytes, zstd's tables included.
    [[nodiscard]] std::size_t bytes() const noexcept;

    /// Live records made with it, plus one while it is the current one.
    std::atomic<std::uint32_t> users{1};
    /// Its index in the owner's table, stored in records.
    std::uint8_t id = 0;

private:
    friend class body_compressor;
    friend class body_expander;
    explicit body_dictionary(byte_span content);

    [[nodiscard]] const ZSTD_CDict_s* compression(effort e) const noexcept
    {
        return (e == effort::normal ? normal_ : light_).get();
    }

    std::unique_ptr<ZSTD_CDict_s, zstd_free> normal_;
    std::unique_ptr<ZSTD_CDict_s, zstd_free> light_;
    std::unique_ptr<ZSTD_DDict_s, zstd_free> expansion_;
};

/// One thread at a time.
class body_compressor
{
public:
    body_compressor();

    /** A zstd frame without its constant first bytes. Valid until the next call.

        Empty when the frame would not be smaller than the body. */
    [[nodiscard]] byte_span compress(byte_span body, const body_dictionary& with, effort e);
    [[nodiscard]] std::size_t bytes() const noexcept;

private:
    std::unique_ptr<ZSTD_CCtx_s, zstd_free> context_;
    std::vector<unsigned char> out_;
};

/// One thread at a time.
class body_expander
{
public:
    body_expander();

    /** The body that was passed to compress(). Valid until the next call.

        @param largest  Maximum size of the body.
        Returns nothing when the frame is broken or was made with another dictionary: never reads or writes out of
        bounds. */
    [[nodiscard]] std::optional<byte_span> expand(byte_span frame, const body_dictionary& with, std::size_t largest);
    [[nodiscard]] std::size_t bytes() const noexcept;

private:
    std::unique_ptr<ZSTD_DCtx_s, zstd_free> context_;
    std::vector<unsigned char> in_;
    std::vector<unsigned char> out_;
};

} // namespace kubecoro::detail
