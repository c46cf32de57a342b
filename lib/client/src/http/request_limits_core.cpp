#include "http/request_limits_core.hpp"

#include <algorithm>

namespace kubecoro::detail {

namespace {

using seconds = std::chrono::duration<double>;

constexpr std::chrono::seconds between_cuts{1};
constexpr seconds recovery{30};
constexpr double lowest_share = 0.01;
// Keeps the conversion to ticks within its range.
constexpr seconds longest_wait{24 * 3600};

} // namespace

request_rate_core::request_rate_core(request_rate_settings settings) noexcept
    : settings_(settings), tokens_(settings.burst >= 1 ? settings.burst : 1), lowered_(settings.qps)
{
    settings_.burst = tokens_;
}

double request_rate_core::rate(moment now) const noexcept
{
    if (!refused_) return settings_.qps;
    const auto since = seconds(std::max(now, lowered_at_) - lowered_at_);
    return std::min(settings_.qps, lowered_ + settings_.qps * (since / recovery));
}

void request_rate_core::advance(moment now) noexcept
{
    if (!begun_) last_ = now;
    begun_ = true;
    if (now <= last_) return;
    // Between two calls the rate grows steadily.
    const double mean = (rate(last_) + rate(now)) / 2;
    tokens_ = std::min(settings_.burst, tokens_ + mean * seconds(now - last_).count());
    last_ = now;
}

request_rate_core::span request_rate_core::take(moment now) noexcept
{
    advance(now);
    tokens_ -= 1;
    if (tokens_ >= 0) return span::zero();
    const seconds wait(-tokens_ / rate(last_));
    return std::chrono::ceil<span>(std::min(wait, longest_wait));
}

void request_rate_core::give_back(moment now) noexcept
{
    advance(now);
    tokens_ = std::min(settings_.burst, tokens_ + 1);
}

void request_rate_core::on_too_many(moment now) noexcept
{
    if (!settings_.adaptive) return;
    advance(now);
    // The refusals of one burst count once.
    if (refused_ && last_ - lowered_at_ < between_cuts) return;
    lowered_ = std::max(rate(last_) / 2, settings_.qps * lowest_share);
    lowered_at_ = last_;
    refused_ = true;
    tokens_ = std::min(tokens_, 0.0);
}

} // namespace kubecoro::detail
