#pragma once
// Compresses and expands bodies with zstd and a trained dictionary: chooses dictionary and effort, and decides when to retrain.

#include <kubecoro/api/storage.hpp>
#include <kubecoro/base/detail/random.hpp>

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

struct body_codec_limits
{
    /// Bodies after which the first dictionary and the settled one are trained; records before the first are plain, or
    /// packed again.
    std::size_t provisional_after = 200;
    std::size_t settled_after = 4000;
    /// Bodies to train on, and bytes kept of each.
    std::size_t samples = 256;
    std::size_t sample_bytes = 16 * 1024;
    /// Sizes of the first dictionary, and of later ones, whose larger size is shared by many objects.
    std::size_t provisional_bytes = 16 * 1024;
    std::size_t dictionary_bytes = 32 * 1024;
    /// Bodies between the first sign that data has changed and the next dictionary; also the minimum between two
    /// dictionaries.
    std::size_t relearn_after = 2000;
};

/** Compresses bodies into records that share a dictionary, and trains that dictionary on them.

    Sans-io, one thread at a time, deterministic: equal bodies in equal order give equal records. Memory: the samples
    while it learns (at most samples times sample_bytes), and zstd's tables. */
class body_codec_core
{
public:
    explicit body_codec_core(body_codec_limits limits = {});

    /// Whether learn() can use the next body.
    [[nodiscard]] bool wants_sample() noexcept;

    /** Adds a body that is about to be stored to the samples.

        @return a new dictionary when one is due: the owner stores it and uses it from now on. */
    [[nodiscard]] std::unique_ptr<body_dictionary> learn(byte_span body);

    /// Returns the record of a body; empty when the body is better kept plain. Valid until the next call.
    [[nodiscard]] byte_span compress(byte_span body, const body_dictionary& with);

    [[nodiscard]] dictionary_stage stage() const noexcept { return stage_; }
    [[nodiscard]] effort level() const noexcept { return effort_; }
    /// Dictionaries trained so far.
    [[nodiscard]] std::size_t trained() const noexcept { return trained_; }
    [[nodiscard]] std::size_t bytes() const noexcept;

private:
    /// An exponential mean over about the last 256 values, exact for fewer.
    struct moving_mean
    {
        void add(double v) noexcept
        {
            if (count < span) ++count;
            value += (v - value) / static_cast<double>(count);
        }
        static constexpr std::size_t span = 256;
        std::size_t count = 0;
        double value = 0;
    };

    void sample(byte_span body);
    [[nodiscard]] std::unique_ptr<body_dictionary> train();
    void choose_effort(effort used, double ratio) noexcept;

    body_codec_limits limits_;
    body_compressor compressor_;
    random_source random_;
    std::vector<std::vector<unsigned char>> samples_;
    dictionary_stage stage_ = dictionary_stage::none;
    effort effort_ = effort::normal;
    bool sampling_ = true;
    std::size_t trained_ = 0;
    /// Bodies seen since sampling began.
    std::size_t sampled_ = 0;
    std::size_t train_at_;
    /// Records made since the last training.
    std::size_t made_ = 0;
    moving_mean size_;
    /// size_ after the dictionary's first records; 0 = not yet.
    double first_size_ = 0;
    /// Ratio of records made with normal effort.
    moving_mean ratio_;
};

} // namespace kubecoro::detail
