#include "storage/body_codec_core.hpp"

#include <algorithm>

namespace kubecoro::detail {
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
