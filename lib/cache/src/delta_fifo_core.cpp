#include "delta_fifo_core.hpp"

#include <algorithm>
#include <utility>

namespace kubecoro {
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

void delta_fifo_core::push(delta_type type, object obj)
{
    const bool deletion = type == delta_type::deleted;
    auto [at, fresh] = pending_.try_emplace(obj);
    pending& p = at->second;
    if (!fresh && deletion && p.last_is_deletion && p.lists_before == lists_) return;
    ++p.count;
    p.last_is_deletion = deletion;
    p.lists_before = lists_;
    queue_.push_back({.type = type, .obj = std::move(obj)});
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
    queue_.push_back(std::move(d));
}

void delta_fifo_core::version(std::size_t scope, std::string resource_version)
{
    delta d{.type = delta_type::version, .scope = scope};
    d.resource_version = std::move(resource_version);
    queue_.push_back(std::move(d));
}

void delta_fifo_core::sync(std::uint64_t target) { queue_.push_back({.type = delta_type::sync_all, .target = target}); }

std::vector<delta> delta_fifo_core::pop()
{
    processed();
    std::vector<delta> batch;
    while (!queue_.empty() && batch.size() < limits_.max_batch) {
        delta& front = queue_.front();
        const bool alone = stands_alone(front.type);
        if (alone && !batch.empty()) break;
        if (is_single(front.type)) forget(front);
        if (front.type == delta_type::replaced_all && front.all->initial) populating_ = front.scope;
        batch.push_back(std::move(front));
        queue_.pop_front();
        if (alone) break;
    }
    return batch;
}

void delta_fifo_core::forget(const delta& d)
{
    auto at = pending_.find(d.obj);
    if (--at->second.count == 0) pending_.erase(at);
}

void delta_fifo_core::processed()
{
    if (!populating_) return;
    scopes_.at(*std::exchange(populating_, std::nullopt)) = population::processed;
    --unsynced_;
}

bool delta_fifo_core::has_pending(object_key_view key) const { return pending_.find(key) != pending_.end(); }

} // namespace kubecoro
