#include "shards/share_state.hpp"

#include <utility>

namespace kubecoro {

bool key_share::covers(object_key_view key) const { return !state_ || state_->current()->covers(key); }

result<> key_share::check(object_key_view key) const { return state_ ? state_->check(key) : result<>(); }

key_share::operator std::shared_ptr<object_share>() const { return state_; }

namespace detail {
namespace {

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

share_state::share_state(std::shared_ptr<time_source> time, shard_by by)
    : time_(std::move(time)), by_(by), current_(std::make_shared<const shard_share>())
{
}

// ---- the member

void share_state::assign(const shard_share& share, time_point runs_until)
{
    std::lock_guard lock(mutex_);
    wanted_ = share;
    runs_until_ = runs_until;
    // A member without keys, for lack of a renewal, will mostly have the same again.
    if (!share.within.empty()) keep(share.within);
    hand_out(usable());
}

/// Requires the mutex.
void share_state::keep(const views& now)
{
    const auto has_all = [&](const views& before) { return gains_nothing(wanted_.self, before, now); };
    if (std::none_of(kept_.begin(), kept_.end(), has_all)) ++gains_;
    if (!kept_.empty() && kept_.front() == now) return;
    kept_.insert(kept_.begin(), now);
    tell_informers();
}

void share_state::drained()
{
    std::lock_guard lock(mutex_);
    if (kept_.size() < 2) return;
    kept_.resize(1);
    tell_informers();
}

/// Requires the mutex.
void share_state::tell_informers() const
{
    for (const auto& informer : alive(informers_)) informer->news.notify();
}

/// Requires the mutex. The part of the share whose objects are there.
shard_share share_state::usable()
{
    auto out = wanted_;
    if (behind_now() == 0) {
        if (!wanted_.within.empty()) shown_ = wanted_.within;
        return out;
    }
    if (shown_.empty()) out.within.clear();
    if (out.within.empty()) return out;
    for (const auto& v : shown_)
        if (std::find(out.within.begin(), out.within.end(), v) == out.within.end()) out.within.push_back(v);
    return out;
}

/// Requires the mutex.
void share_state::hand_out(shard_share share)
{
    current_ = std::make_shared<const shard_share>(std::move(share));
    for (const auto& user : users()) user->assign(current_, runs_until_);
}

/// Requires the mutex.
std::vector<std::shared_ptr<share_user>> share_state::users() const { return alive(users_); }

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

/// Requires the mutex.
std::size_t share_state::behind_now() const
{
    const auto all = alive(informers_);
    const auto is_behind = [this](const auto& informer) { return informer->shown < gains_; };
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), is_behind));
}

std::size_t share_state::behind() const
{
    std::lock_guard lock(mutex_);
    return behind_now();
}

// ---- informers

bool share_state::keeps(object_key_view key) const noexcept
{
    std::lock_guard lock(mutex_);
    const auto is_own = [&](const shard_view& v) { return v.owner(key) == wanted_.self; };
    return std::any_of(kept_.begin(), kept_.end(),
                       [&](const views& all) { return std::all_of(all.begin(), all.end(), is_own); });
}

void share_state::add(const std::shared_ptr<share_follower>& informer)
{
    std::lock_guard lock(mutex_);
    add_to(informers_, informer);
}

void share_state::shown()
{
    {
        std::lock_guard lock(mutex_);
        auto next = usable();
        if (next != *current_) hand_out(std::move(next));
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
