#include "fifo/delta_fifo_core.hpp"

#include <algorithm>
#include <utility>

namespace kubecoro::detail {
namespace {

bool is_single(delta_type t) noexcept
{
    return t == delta_type::added || t == delta_type::updated || t == delta_type::deleted;
}

bool is_popped_alone(delta_type t) noexcept { return !is_single(t) && t != delta_type::version; }

} // namespace

delta_load load_of(const delta& d) noexcept
{
    if (d.all) return {std::max<std::size_t>(1, d.all->items.size()), 0};
    // At rest: an expansion comes and goes while the delta waits.
    return {1, d.obj ? kept_object(d.obj).bytes() : 0};
}

delta_fifo_core::delta_fifo_core(std::size_t max_batch) : max_batch_(std::max<std::size_t>(1, max_batch)) {}

void delta_fifo_core::add_scope(std::size_t scope)
{
    if (scopes_.emplace(scope, population::missing).second) ++unsynced_;
}

void delta_fifo_core::remove_scope(std::size_t scope)
{
    const auto at = scopes_.find(scope);
    if (at == scopes_.end()) return;
    if (at->second != population::processed) --unsynced_;
    scopes_.erase(at);
    if (populating_ == scope) populating_.reset();
}

bool delta_fifo_core::push(delta& d)
{
    if (is_single(d.type)) return push_single(d);
    queue_.push_back(std::move(d));
    if (queue_.back().type == delta_type::replaced_all) note_list(queue_.back());
    return true;
}

bool delta_fifo_core::push_single(delta& d)
{
    const bool deletion = d.type == delta_type::deleted;
    const auto [at, fresh] = pending_.try_emplace(d.obj);
    pending& p = at->second;
    const bool repeated = p.last_is_deletion && p.scope == d.scope && p.lists_before == lists_;
    if (deletion && !fresh && repeated) return false;
    const std::size_t scope = d.scope;
    try {
        queue_.push_back(std::move(d));
    } catch (...) {
        if (fresh) pending_.erase(at);
        throw;
    }
    ++p.count;
    p.scope = scope;
    p.last_is_deletion = deletion;
    p.lists_before = lists_;
    return true;
}

void delta_fifo_core::note_list(delta& d)
{
    ++lists_;
    const auto at = scopes_.find(d.scope);
    if (at == scopes_.end()) return;
    d.all->initial = at->second == population::missing;
    if (d.all->initial) at->second = population::queued;
}

delta_fifo_core::popped delta_fifo_core::pop()
{
    popped out;
    out.batch.reserve(std::min(queue_.size(), max_batch_)); // the loop does not allocate
    while (!queue_.empty() && out.batch.size() < max_batch_) {
        delta& front = queue_.front();
        const auto type = front.type;
        const bool wanted = type == delta_type::sync_all || scopes_.contains(front.scope);
        const bool alone = wanted && is_popped_alone(type);
        if (alone && !out.batch.empty()) break;
        if (is_single(type)) forget(front.obj);
        if (wanted)
            out.batch.push_back(std::move(front));
        else
            out.dropped += load_of(front);
        queue_.pop_front();
        if (!alone) continue;
        const delta& list = out.batch.front();
        if (type == delta_type::replaced_all && list.all->initial) populating_ = list.scope;
        break;
    }
    return out;
}

void delta_fifo_core::forget(const object& o)
{
    const auto at = pending_.find(o);
    if (--at->second.count == 0) pending_.erase(at);
}

void delta_fifo_core::processed()
{
    if (!populating_) return;
    scopes_.at(*std::exchange(populating_, std::nullopt)) = population::processed;
    --unsynced_;
}

std::vector<object> delta_fifo_core::to_show(std::vector<object> stored) const
{
    if (!pending_.empty()) std::erase_if(stored, [this](const object& o) { return has_pending(o.key()); });
    return stored;
}

} // namespace kubecoro::detail
