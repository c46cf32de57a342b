#include "http/retry_core.hpp"

#include <algorithm>
#include <charconv>

namespace kubecoro::detail {

namespace {

// A longer Retry-After is not waited for inside a call: the caller gets the response and decides.
constexpr std::chrono::seconds longest_retry_after{120};
constexpr double jitter = 0.5;

} // namespace

std::optional<std::chrono::seconds> parse_retry_after(std::string_view header) noexcept
{
    unsigned seconds = 0;
    const auto [end, error] = std::from_chars(header.data(), header.data() + header.size(), seconds);
    if (error != std::errc{} || end != header.data() + header.size()) return std::nullopt;
    return std::chrono::seconds{seconds};
}

duration spread(std::chrono::seconds asked, double draw) noexcept
{
    const std::chrono::duration<double> more(static_cast<double>(asked.count()) * jitter * draw);
    return asked + std::chrono::duration_cast<duration>(more);
}

bool may_repeat(const broken_attempt& a) noexcept
{
    if (a.earlier > 0 || a.answer_begun) return false;
    const bool safe = a.method == "GET" || a.method == "HEAD" || a.method == "OPTIONS";
    if (!a.reused) return safe && a.why == cond::unreachable;
    // TCP reports timed out when the peer acknowledges nothing.
    if (a.why != cond::unreachable && a.why != cond::timed_out) return false;
    return safe || !a.wholly_sent;
}

retry_core::action retry_core::on_answer(int status, std::optional<std::chrono::seconds> retry_after,
                                         bool renewable) noexcept
{
    if (status == 401 && renewable && !renewed_) {
        renewed_ = true;
        return renew_credentials{};
    }
    const bool repeatable = status == 429 || status >= 500;
    if (!repeatable || !retry_after || left_ == 0 || *retry_after > longest_retry_after) return deliver{};
    --left_;
    return wait{std::max(*retry_after, std::chrono::seconds{0})};
}

} // namespace kubecoro::detail
