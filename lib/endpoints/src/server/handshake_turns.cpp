#include "server/handshake_turns.hpp"

#include <kubecoro/base/saturating_time.hpp>

#include <algorithm>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

duration interval_of(std::size_t a_second) noexcept
{
    if (a_second == 0) return duration::zero();
    return std::chrono::duration_cast<duration>(std::chrono::duration<double>(1.0 / static_cast<double>(a_second)));
}

} // namespace

client_id client_of(const asio::ip::address& a)
{
    client_id out{};
    if (a.is_v4() || a.to_v6().is_v4_mapped()) {
        const auto v4 = a.is_v4() ? a.to_v4() : asio::ip::make_address_v4(asio::ip::v4_mapped, a.to_v6());
        std::ranges::copy(v4.to_bytes(), out.begin() + 4);
    } else {
        const auto all = a.to_v6().to_bytes();
        std::copy_n(all.begin(), out.size(), out.begin());
    }
    return out;
}

handshake_turns::handshake_turns(std::size_t a_second) noexcept
    : interval_(interval_of(a_second)), burst_(interval_ * static_cast<int>(std::min<std::size_t>(a_second / 5, 1000)))
{
}

bool handshake_turns::begin(time_point now) noexcept
{
    if (level_ > time_after(now, burst_)) return false;
    level_ = time_after(std::max(level_, now), interval_);
    return true;
}

bool handshake_turns::take(time_point now) noexcept
{
    return interval_ == duration::zero() || (waiting_.empty() && begin(now));
}

void handshake_turns::wait(const client_id& client, waiter who) { waiting_[client].push_back(who); }

void handshake_turns::leave(const client_id& client, waiter who) noexcept
{
    const auto at = waiting_.find(client);
    if (at == waiting_.end()) return;
    std::erase(at->second, who);
    if (at->second.empty()) waiting_.erase(at);
}

handshake_turns::waiter handshake_turns::next(time_point now)
{
    if (waiting_.empty() || !begin(now)) return nullptr;
    auto at = waiting_.upper_bound(last_);
    if (at == waiting_.end()) at = waiting_.begin();
    last_ = at->first;
    const waiter out = at->second.front();
    at->second.pop_front();
    if (at->second.empty()) waiting_.erase(at);
    return out;
}

time_point handshake_turns::due() const noexcept
{
    return waiting_.empty() ? time_point::max() : time_after(level_, -burst_);
}

} // namespace kubecoro::detail
