#include "shards/share_state.hpp"

#include <utility>

namespace kubecoro {

bool key_share::covers(object_key_view key) const { return !state_ || state_->current()->covers(key); }

result<> key_share::check(object_key_view key) const { return state_ ? state_->check(key) : result<>(); }

namespace detail {

share_state::share_state(std::shared_ptr<time_source> time)
    : time_(std::move(time)), current_(std::make_shared<const shard_share>())
{
}

void share_state::assign(const shard_share& share, time_point runs_until)
{
    auto next = std::make_shared<const shard_share>(share);
    std::lock_guard lock(mutex_);
    current_ = next;
    for (const auto& user : users()) user->assign(next, runs_until);
}

/// Requires the mutex.
std::vector<std::shared_ptr<share_user>> share_state::users() const
{
    std::vector<std::shared_ptr<share_user>> out;
    for (const auto& user : users_)
        if (auto there = user.lock()) out.push_back(std::move(there));
    return out;
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
    std::erase_if(users_, [](const auto& u) { return u.expired(); });
    users_.push_back(user);
    user->assign(current_, time_point::max()); // it has no runs
}

} // namespace detail
} // namespace kubecoro
