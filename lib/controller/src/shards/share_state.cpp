#include "shards/share_state.hpp"

#include <kubecoro/base/detail/expect.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace kubecoro {

bool key_share::covers(object_key_view key) const { return !state_ || state_->current()->covers(key); }

result<> key_share::check(object_key_view key) const { return state_ ? state_->check(key) : result<>(); }

key_share::operator std::shared_ptr<detail::object_share>() const { return state_; }

namespace detail {
namespace {

/// More gains than an informer that runs has shown.
constexpr auto running = std::numeric_limits<std::uint64_t>::max();

/// Limits the views of shares that informers have yet to show: beyond it, all keys wait for them.
constexpr std::size_t most_views = 16;

template<class T>
std::vector<std::shared_ptr<T>> alive(const std::vector<std::weak_ptr<T>>& all)
{
    std::vector<std::shared_ptr<T>> out;
    for (const auto& one : all)
        if (auto there = one.lock()) out.push_back(std::move(there));
    return out;
}

template<class T>
void add_to(std::vector<std::weak_ptr<T>>& all, const std::shared_ptr<T>& one)
{
    std::erase_if(all, [](const auto& x) { return x.expired(); });
    all.push_back(one);
}

} // namespace

share_state::share_state(std::shared_ptr<time_source> time, shard_by by, duration list_delay)
    : time_(std::move(time)), by_(by), current_(std::make_shared<const shard_share>()), kept_(list_delay)
{
}

// ---- the member

void share_state::assign(const shard_share& share, time_point runs_until)
{
    std::lock_guard lock(mutex_);
    wanted_ = share;
    runs_until_ = runs_until;
    // A member without keys, for lack of a renewal, will mostly have the same again.
    const bool has_keys = !share.within.empty();
    if (has_keys && kept_.assign(share.self, share.within, time_->now(), behind(running) != 0)) tell_informers();
    hand_out(usable());
}

void share_state::drained()
{
    std::lock_guard lock(mutex_);
    if (kept_.drained()) tell_informers();
}

std::optional<time_point> share_state::list_if_due(time_point now)
{
    std::lock_guard lock(mutex_);
    if (kept_.list_if_due(now) || !informers_know_) {
        tell_informers();
        hand_out_if_new(); // all may have stopped
    } else if (!users_have_it_) {
        hand_out(usable());
    }
    return kept_.list_at();
}

void share_state::tell_informers()
{
    KUBECORO_EXPECT(mutex_.held_here());
    informers_know_ = false;
    gains_ = kept_.gains();
    for (const auto& informer : alive(informers_)) informer->news.notify();
    informers_know_ = true;
}

/// The part of the share whose objects are there.
shard_share share_state::usable()
{
    KUBECORO_EXPECT(mutex_.held_here());
    auto out = wanted_;
    if (behind_now() == 0) {
        if (!wanted_.within.empty()) shown_ = wanted_.within;
        return out;
    }
    if (shown_.empty()) out.within.clear();
    if (out.within.empty()) return out;
    for (const auto& v : shown_)
        if (std::find(out.within.begin(), out.within.end(), v) == out.within.end()) out.within.push_back(v);
    // Keys that have gone meanwhile have lost their objects, and may come back.
    shown_ = out.within;
    if (shown_.size() <= most_views) return out;
    shown_.clear();
    out.within.clear();
    return out;
}

void share_state::hand_out(shard_share share)
{
    KUBECORO_EXPECT(mutex_.held_here());
    users_have_it_ = false;
    current_ = std::make_shared<const shard_share>(std::move(share));
    for (const auto& user : users()) user->assign(current_, runs_until_);
    users_have_it_ = true;
}

void share_state::hand_out_if_new()
{
    KUBECORO_EXPECT(mutex_.held_here());
    const bool had_it = std::exchange(users_have_it_, false);
    auto next = usable();
    if (had_it && next == *current_)
        users_have_it_ = true;
    else
        hand_out(std::move(next));
}

std::vector<std::shared_ptr<share_user>> share_state::users() const
{
    KUBECORO_EXPECT(mutex_.held_here());
    return alive(users_);
}

std::size_t share_state::outside() const
{
    std::lock_guard lock(mutex_);
    std::size_t out = 0;
    for (const auto& user : users()) out += user->outside();
    return out;
}

overdue_runs share_state::cancel_overdue(time_point now)
{
    std::lock_guard lock(mutex_);
    overdue_runs out;
    for (const auto& user : users()) out.add(user->cancel_overdue(now));
    return out;
}

/// Informers that show less than after that many gains.
std::size_t share_state::behind(std::uint64_t gains) const
{
    KUBECORO_EXPECT(mutex_.held_here());
    const auto all = alive(informers_);
    const auto is_behind = [gains](const auto& informer) { return informer->shown < gains; };
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), is_behind));
}

std::size_t share_state::behind_now() const { return behind(kept_.list_at() ? running : gains_.load()); }

std::size_t share_state::behind() const
{
    std::lock_guard lock(mutex_);
    return behind_now();
}

// ---- informers

bool share_state::keeps(object_key_view key) const noexcept
{
    std::lock_guard lock(mutex_);
    return kept_.has(key);
}

void share_state::add(const std::shared_ptr<share_follower>& informer)
{
    std::lock_guard lock(mutex_);
    add_to(informers_, informer);
}

void share_state::shown()
{
    try {
        std::lock_guard lock(mutex_);
        hand_out_if_new();
    } catch (...) { // no memory: the member repeats it
    }
    news.notify();
}

// ---- everyone else

std::shared_ptr<const shard_share> share_state::current() const
{
    std::lock_guard lock(mutex_);
    return current_;
}

result<> share_state::check(object_key_view key) const
{
    if (!current()->covers(key)) return failure(cond::conflict, to_string(key) + " belongs to another member");
    if (time_->now().time_since_epoch().count() < until_.load(std::memory_order_relaxed)) return {};
    return failure(cond::timed_out, "the lease was not renewed in time: another member may work on " + to_string(key));
}

void share_state::add(const std::shared_ptr<share_user>& user)
{
    std::lock_guard lock(mutex_);
    add_to(users_, user);
    user->assign(current_, time_point::max()); // it has no runs
}

} // namespace detail
} // namespace kubecoro
