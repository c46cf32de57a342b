#include "auth/exec_login_core.hpp"

#include <algorithm>
#include <utility>

namespace kubecoro::detail {

namespace {

// Credentials are renewed this long before they expire, or in the last fifth of their life.
constexpr std::chrono::seconds longest_leeway{10};
constexpr std::chrono::hours longest_life{365 * 24};

bool are_same(const exec_credential& a, const exec_credential& b)
{
    return a.token == b.token && a.certificate == b.certificate && a.key == b.key;
}

} // namespace

held_credential exec_login_core::choose(time_point now, const held_credential& refused) const
{
    if (!current_ || (renew_at_ && now >= *renew_at_)) return nullptr;
    if (current_ != refused || (patient_until_ && now < *patient_until_)) return current_;
    return nullptr;
}

void exec_login_core::on_run(time_point now, const held_credential& refused)
{
    if (!refused || refused != current_) return;
    const bool is_series = patient_until_ && now < *patient_until_ + pause_;
    pause_ = is_series ? std::min<duration>(2 * pause_, longest_pause) : first_pause;
    patient_until_ = now + pause_;
}

bool exec_login_core::on_credential(exec_credential c, time_point now, std::chrono::system_clock::time_point wall_now)
{
    duration left = longest_life;
    renew_at_.reset();
    if (c.expires) {
        // In seconds: nanoseconds have no room for the year 9999, with which some plugins say "never".
        const auto today = std::chrono::floor<std::chrono::seconds>(wall_now);
        left = std::clamp<std::chrono::seconds>(*c.expires - today, std::chrono::seconds::zero(), longest_life);
        renew_at_ = now + left - std::min<duration>(longest_leeway, left / 5);
    }
    if (!current_ || !are_same(*current_, c)) current_ = std::make_shared<const exec_credential>(std::move(c));
    return left == duration::zero();
}

} // namespace kubecoro::detail
