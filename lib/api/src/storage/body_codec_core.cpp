#include "storage/body_codec_core.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <zdict.h>
#include <zstd.h>

namespace kubecoro::detail {

namespace {

// As fast as level 1 on bodies of a few KB, and the result is 3 % smaller.
constexpr int normal_level = 2;
constexpr int light_level = -5;

/// Below this size zstd makes no dictionary.
constexpr std::size_t least_content = 128;

/// Every frame begins with these.
constexpr std::array<unsigned char, 4> magic{0x28, 0xb5, 0x2f, 0xfd};

// Larger scratch buffers are freed after the body that needed them.
constexpr std::size_t kept_capacity = std::size_t{1} << 20;

template<class T>
T* present(T* p)
{
    if (p == nullptr) throw std::bad_alloc();
    return p;
}

void trim(std::vector<unsigned char>& scratch)
{
    if (scratch.capacity() > kept_capacity) scratch = std::vector<unsigned char>();
}

std::vector<unsigned char> joined(std::span<const std::vector<unsigned char>> samples, std::vector<std::size_t>& sizes)
{
    std::vector<unsigned char> all;
    for (const auto& s : samples) {
        all.insert(all.end(), s.begin(), s.end());
        sizes.push_back(s.size());
    }
    return all;
}

// Whole samples from across the set, up to the capacity.
std::vector<unsigned char> content_of(std::span<const std::vector<unsigned char>> samples, std::size_t capacity)
{
    std::size_t total = 0;
    for (const auto& s : samples) total += s.size();
    const std::size_t step = total <= capacity ? 1 : (total + capacity - 1) / capacity;
    std::vector<unsigned char> content;
    content.reserve(capacity);
    for (std::size_t i = 0; i < samples.size(); i += step)
        if (samples[i].size() <= capacity - content.size())
            content.insert(content.end(), samples[i].begin(), samples[i].end());
    return content;
}

} // namespace

void zstd_free::operator()(ZSTD_CCtx_s* c) const noexcept { ZSTD_freeCCtx(c); }
void zstd_free::operator()(ZSTD_DCtx_s* d) const noexcept { ZSTD_freeDCtx(d); }
void zstd_free::operator()(ZSTD_CDict_s* c) const noexcept { ZSTD_freeCDict(c); }
void zstd_free::operator()(ZSTD_DDict_s* d) const noexcept { ZSTD_freeDDict(d); }

body_dictionary::body_dictionary(byte_span content)
    : normal_(present(ZSTD_createCDict(content.data(), content.size(), normal_level))),
      light_(present(ZSTD_createCDict(content.data(), content.size(), light_level))),
      expansion_(present(ZSTD_createDDict(content.data(), content.size())))
{
}

std::unique_ptr<body_dictionary> body_dictionary::train(std::span<const std::vector<unsigned char>> samples,
                                                        std::size_t capacity)
{
    const auto content = content_of(samples, capacity);
    std::vector<std::size_t> sizes;
    const auto all = joined(samples, sizes);
    if (content.size() < least_content) return nullptr;
    std::vector<unsigned char> made(capacity);
    const ZDICT_params_t parameters{.compressionLevel = normal_level, .notificationLevel = 0, .dictID = 0};
    const std::size_t size =
        ZDICT_finalizeDictionary(made.data(), made.size(), content.data(), content.size(), all.data(), sizes.data(),
                                 static_cast<unsigned>(sizes.size()), parameters);
    if (ZDICT_isError(size) != 0) return nullptr;
    return std::unique_ptr<body_dictionary>(new body_dictionary({made.data(), size}));
}

std::size_t body_dictionary::bytes() const noexcept
{
    return sizeof(*this) + ZSTD_sizeof_CDict(normal_.get()) + ZSTD_sizeof_CDict(light_.get()) +
           ZSTD_sizeof_DDict(expansion_.get());
}

body_compressor::body_compressor() : context_(present(ZSTD_createCCtx()))
{
    // Not needed: the record knows the size and the dictionary, and checksums are not used.
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_contentSizeFlag, 0);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 0);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_dictIDFlag, 0);
}

byte_span body_compressor::compress(byte_span body, const body_dictionary& with, effort e)
{
    trim(out_);
    out_.resize(ZSTD_compressBound(body.size()));
    ZSTD_CCtx_refCDict(context_.get(), with.compression(e));
    const std::size_t size = ZSTD_compress2(context_.get(), out_.data(), out_.size(), body.data(), body.size());
    if (ZSTD_isError(size) != 0 || size >= body.size() + magic.size()) return {};
    return byte_span(out_).first(size).subspan(magic.size());
}

std::size_t body_compressor::bytes() const noexcept { return ZSTD_sizeof_CCtx(context_.get()) + out_.capacity(); }

body_expander::body_expander() : context_(present(ZSTD_createDCtx())) {}

std::optional<byte_span> body_expander::expand(byte_span frame, const body_dictionary& with, std::size_t largest)
{
    trim(in_);
    trim(out_);
    in_.resize(magic.size() + frame.size());
    std::memcpy(in_.data(), magic.data(), magic.size());
    if (!frame.empty()) std::memcpy(in_.data() + magic.size(), frame.data(), frame.size());
    if (out_.size() < largest) out_.resize(largest);
    const std::size_t size =
        ZSTD_decompress_usingDDict(context_.get(), out_.data(), largest, in_.data(), in_.size(), with.expansion_.get());
    if (ZSTD_isError(size) != 0) return std::nullopt;
    return byte_span(out_).first(size);
}

std::size_t body_expander::bytes() const noexcept
{
    return ZSTD_sizeof_DCtx(context_.get()) + in_.capacity() + out_.capacity();
}

namespace {

constexpr std::uint64_t seed = 1;

/// Retrain when the mean record size grows beyond this factor.
constexpr double stale_growth = 1.15;

/// Above the first ratio of record size to body size, normal effort gains little and light effort is used; below the
/// second, normal effort is used again. Every trial_period records, normal effort is tried.
constexpr double light_above = 0.65;
constexpr double normal_below = 0.55;
constexpr std::size_t trial_period = 64;

} // namespace

body_codec_core::body_codec_core(body_codec_limits limits)
    : limits_(limits), random_(seed), train_at_(limits.provisional_after)
{
}

bool body_codec_core::wants_sample() noexcept
{
    if (sampling_) return true;
    const bool proven = first_size_ != 0 && made_ >= limits_.relearn_after;
    if (!proven || size_.value <= first_size_ * stale_growth) return false;
    sampling_ = true;
    train_at_ = limits_.relearn_after;
    return true;
}

std::unique_ptr<body_dictionary> body_codec_core::learn(byte_span body)
{
    if (!wants_sample()) return nullptr;
    sample(body);
    return sampled_ < train_at_ ? nullptr : train();
}

// Reservoir sampling: each body seen is equally likely to be among the samples.
void body_codec_core::sample(byte_span body)
{
    ++sampled_;
    const byte_span kept = body.first(std::min(body.size(), limits_.sample_bytes));
    if (samples_.size() < limits_.samples) {
        samples_.emplace_back(kept.begin(), kept.end());
        return;
    }
    const std::size_t place = static_cast<std::size_t>(random_() % sampled_);
    if (place < samples_.size()) samples_[place].assign(kept.begin(), kept.end());
}

std::unique_ptr<body_dictionary> body_codec_core::train()
{
    const bool provisional = stage_ == dictionary_stage::none && sampled_ < limits_.settled_after;
    auto made = body_dictionary::train(samples_, provisional ? limits_.provisional_bytes : limits_.dictionary_bytes);
    if (!made) { // nothing in common yet: retry with twice as many
        train_at_ = 2 * sampled_;
        return nullptr;
    }
    ++trained_;
    made_ = 0;
    size_ = {};
    first_size_ = 0;
    if (provisional) {
        stage_ = dictionary_stage::provisional;
        train_at_ = limits_.settled_after;
        return made;
    }
    stage_ = dictionary_stage::settled;
    sampling_ = false;
    sampled_ = 0;
    samples_ = std::vector<std::vector<unsigned char>>();
    return made;
}

byte_span body_codec_core::compress(byte_span body, const body_dictionary& with)
{
    const bool trial = made_ % trial_period == 0;
    const effort used = trial ? effort::normal : effort_;
    const byte_span record = compressor_.compress(body, with, used);
    const std::size_t size = record.empty() ? body.size() : record.size();
    if (!body.empty()) choose_effort(used, static_cast<double>(size) / static_cast<double>(body.size()));
    size_.add(static_cast<double>(size));
    ++made_;
    if (first_size_ == 0 && made_ >= 2 * moving_mean::span) first_size_ = size_.value;
    return record;
}

void body_codec_core::choose_effort(effort used, double ratio) noexcept
{
    if (used != effort::normal) return;
    ratio_.add(ratio);
    if (ratio_.count < trial_period) return;
    if (ratio_.value > light_above) effort_ = effort::light;
    if (ratio_.value < normal_below) effort_ = effort::normal;
}

std::size_t body_codec_core::bytes() const noexcept
{
    std::size_t total = compressor_.bytes();
    for (const auto& s : samples_) total += s.capacity();
    return total;
}

} // namespace kubecoro::detail
