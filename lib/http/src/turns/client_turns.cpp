#include <kubecoro/http/detail/client_turns.hpp>

#include <kubecoro/base/clock.hpp>

#include <algorithm>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

constexpr double least_share = 0.01;
/// Shorter waits would cost more than the parts between them.
constexpr duration shortest_wait = std::chrono::milliseconds{1};

} // namespace

// Without any share, a page would be made once and never again.
render_budget::render_budget(double share, duration most_at_once) noexcept
    : share_(share > least_share ? share : least_share), most_at_once_(most_at_once), left_(most_at_once)
{
}

void render_budget::fill(time_point now) noexcept
{
    const duration passed = begun_ ? std::max(now - filled_, duration::zero()) : duration::zero();
    begun_ = true;
    filled_ = now;
    // As numbers, because a product of durations could overflow.
    const auto gained = std::chrono::duration<double>(passed).count() * share_;
    const auto wanting = std::chrono::duration<double>(most_at_once_ - left_).count();
    left_ = gained >= wanting ? most_at_once_
                              : left_ + std::chrono::duration_cast<duration>(std::chrono::duration<double>(gained));
}

bool render_budget::has_time(time_point now, duration least) noexcept
{
    if (share_ >= 1) return true;
    fill(now);
    return left_ >= least;
}

duration render_budget::wait(time_point now, duration least) noexcept
{
    if (has_time(now, least)) return duration::zero();
    const auto owed = std::chrono::duration<double>(least - duration{1} - left_).count() / share_;
    return std::max(std::chrono::duration_cast<duration>(std::chrono::duration<double>(owed)), shortest_wait);
}

void render_budget::take(time_point now, duration spent) noexcept
{
    fill(now);
    left_ = std::max(left_ - std::clamp(spent, duration::zero(), most_at_once_ + most_debt), -most_debt);
}

void render_budget::spend(time_point begin, time_point end) noexcept
{
    take(begin, end - begin);
    filled_ = std::max(filled_, end);
}

std::optional<std::uint64_t> log_pace::pass(time_point now) noexcept
{
    if (last_ && now - *last_ < pause_) {
        ++held_back_;
        return std::nullopt;
    }
    last_ = now;
    return std::exchange(held_back_, 0);
}

namespace {

duration half_interval(std::size_t a_second) noexcept
{
    constexpr std::size_t most = 1'000'000;
    if (a_second == 0) return duration::zero();
    return std::chrono::duration_cast<duration>(std::chrono::milliseconds{500}) /
           static_cast<duration::rep>(std::min(a_second, most));
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

// Half of the time that passes counts, because a share of 1 is no limit.
client_turns::client_turns(const limits& l, std::size_t a_second, std::size_t at_once) noexcept
    : limits_(l),
      time_(a_second == 0 ? 1 : 0.5, half_interval(a_second) * static_cast<duration::rep>(at_once)),
      each_(std::max(half_interval(a_second), duration{1}))
{
}

void client_turns::hold(account& a, std::size_t units) noexcept
{
    a.held += units;
    used_ += units;
}

client_turns::step client_turns::ask(const client_id& client, turn_waiter& who, time_point now, std::size_t units)
{
    if (units > limits_.units) return step::refused;
    if (ring_.empty() && fits(units) && time_.has_time(now, each_)) {
        if (units > 0) hold(accounts_[client], units);
        time_.take(now, each_);
        return step::granted;
    }
    const auto found = accounts_.find(client);
    const std::size_t before = found == accounts_.end() ? 0 : found->second.waiting.size();
    if (before >= limits_.waiters || (before == 0 && ring_.size() >= limits_.addresses)) return step::refused;
    accounts_[client].waiting.push_back({&who, units});
    if (before == 0) ring_.push_back(client);
    return step::waits;
}

void client_turns::leave(const client_id& client, const turn_waiter& who) noexcept
{
    const auto at = accounts_.find(client);
    if (at == accounts_.end()) return;
    std::erase_if(at->second.waiting, [&who](const want& w) { return w.who == &who; });
    if (at->second.waiting.empty()) std::erase(ring_, client);
    forget_if_empty(at);
}

turn_waiter* client_turns::next(time_point now)
{
    if (ring_.empty() || !time_.has_time(now, each_)) return nullptr;
    const client_id client = ring_.front();
    const auto at = accounts_.find(client);
    auto& waiting = at->second.waiting;
    const want first = waiting.front();
    if (!fits(first.units)) return nullptr;
    waiting.pop_front();
    ring_.pop_front();
    if (!waiting.empty()) ring_.push_back(client);
    hold(at->second, first.units);
    time_.take(now, each_);
    forget_if_empty(at);
    return first.who;
}

time_point client_turns::due(time_point now) noexcept
{
    if (ring_.empty() || !fits(accounts_.find(ring_.front())->second.waiting.front().units)) return time_point::max();
    return time_after(now, time_.wait(now, each_));
}

bool client_turns::is_next(const turn_waiter& who) const noexcept
{
    return !ring_.empty() && accounts_.find(ring_.front())->second.waiting.front().who == &who;
}

void client_turns::give_back(const client_id& client, std::size_t units) noexcept
{
    const auto at = accounts_.find(client);
    if (at == accounts_.end()) return; // it held nothing
    at->second.held -= units;
    used_ -= units;
    forget_if_empty(at);
}

bool client_turns::resize(const client_id& client, std::size_t from, std::size_t to) noexcept
{
    if (to > from && !fits(to - from)) return false;
    auto& held = accounts_.find(client)->second.held;
    held += to - from; // unsigned: also for less
    used_ += to - from;
    return true;
}

std::size_t client_turns::held_by(const client_id& client) const noexcept
{
    const auto at = accounts_.find(client);
    return at == accounts_.end() ? 0 : at->second.held;
}

std::optional<client_id> client_turns::displaced() const noexcept
{
    if (ring_.empty()) return std::nullopt;
    const auto& waits = accounts_.find(ring_.front())->second;
    if (fits(waits.waiting.front().units)) return std::nullopt;
    const auto most = std::max_element(accounts_.begin(), accounts_.end(),
                                       [](const auto& a, const auto& b) { return a.second.held < b.second.held; });
    if (most->second.held <= waits.held + waits.waiting.front().units) return std::nullopt;
    return most->first;
}

void client_turns::forget_if_empty(accounts::iterator at) noexcept
{
    if (at->second.waiting.empty() && at->second.held == 0) accounts_.erase(at);
}

} // namespace kubecoro::detail
