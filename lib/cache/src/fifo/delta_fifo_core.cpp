#include "fifo/delta_fifo_core.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kubecoro::detail {
namespace {

bool is_single(delta_type t) noexcept
{
    return t == delta_type::added || t == delta_type::updated || t == delta_type::deleted;
}

bool stands_alone(delta_type t) noexcept { return t == delta_type::replaced_all || t == delta_type::sync_all; }

} // namespace

delta_fifo_core::delta_fifo_core(delta_fifo_limits limits) : limits_(limits)
{
    limits_.max_batch = std::max<std::size_t>(1, limits_.max_batch);
    limits_.max_pending = std::max<std::size_t>(1, limits_.max_pending);
}

std::size_t delta_fifo_core::add_scope()
{
    scopes_.emplace(next_scope_, population::missing);
    ++unsynced_;
    return next_scope_++;
}

void delta_fifo_core::remove_scope(std::size_t scope)
{
    if (scopes_.at(scope) != population::processed) --unsynced_;
    scopes_.erase(scope);
    if (populating_ == scope) populating_.reset();
}

void delta_fifo_core::append(delta d)
{
    queue_.push_back({std::move(d), {}});
    ++size_;
}

void delta_fifo_core::push(delta_type type, object obj)
{
    const bool deletion = type == delta_type::deleted;
    auto [at, fresh] = pending_.try_emplace(obj);
    pending& p = at->second;
    const bool since_the_list = !fresh && p.lists_before == lists_;
    if (deletion && since_the_list && p.last_is_deletion) return;
    ++p.count;
    p.last_is_deletion = deletion;
    p.lists_before = lists_;
    delta d{.type = type, .obj = std::move(obj)};
    if (since_the_list && limits_.sequence == order::per_key) {
        queue_[p.place - popped_].more.push_back(std::move(d));
        ++size_;
        return;
    }
    p.place = popped_ + queue_.size();
    append(std::move(d));
}

void delta_fifo_core::replace(std::size_t scope, std::vector<object> items, std::string resource_version)
{
    ++lists_;
    auto all = std::make_shared<replacement>();
    all->items = std::move(items);
    all->initial = scopes_.at(scope) == population::missing;
    if (all->initial) scopes_.at(scope) = population::queued;
    delta d{.type = delta_type::replaced_all, .scope = scope};
    d.resource_version = std::move(resource_version);
    d.all = std::move(all);
    append(std::move(d));
}

void delta_fifo_core::version(std::size_t scope, std::string resource_version)
{
    delta d{.type = delta_type::version, .scope = scope};
    d.resource_version = std::move(resource_version);
    append(std::move(d));
}

void delta_fifo_core::sync(std::uint64_t target)
{
    delta d{.type = delta_type::sync_all};
    d.target = target;
    append(std::move(d));
}

std::vector<delta> delta_fifo_core::pop()
{
    processed();
    std::vector<delta> batch;
    while (!queue_.empty() && batch.size() < limits_.max_batch) {
        step& front = queue_.front();
        const bool alone = stands_alone(front.first.type);
        const bool fits = !alone && batch.size() + front.size() <= limits_.max_batch;
        if (!batch.empty() && !fits) break;
        if (is_single(front.first.type)) forget(front);
        if (front.first.type == delta_type::replaced_all && front.first.all->initial) populating_ = front.first.scope;
        size_ -= front.size();
        batch.push_back(std::move(front.first));
        std::move(front.more.begin(), front.more.end(), std::back_inserter(batch));
        queue_.pop_front();
        ++popped_;
        if (alone) break;
    }
    return batch;
}

void delta_fifo_core::forget(const step& s)
{
    auto at = pending_.find(s.first.obj);
    at->second.count -= s.size();
    if (at->second.count == 0) pending_.erase(at);
}

void delta_fifo_core::processed()
{
    if (!populating_) return;
    scopes_.at(*std::exchange(populating_, std::nullopt)) = population::processed;
    --unsynced_;
}

bool delta_fifo_core::has_pending(object_key_view key) const { return pending_.find(key) != pending_.end(); }

std::vector<object> delta_fifo_core::to_show(std::vector<object> stored) const
{
    if (!pending_.empty()) std::erase_if(stored, [this](const object& o) { return has_pending(o.key()); });
    return stored;
}

} // namespace kubecoro::detail
