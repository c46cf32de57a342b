#include "listener_core.hpp"

#include <algorithm>
#include <utility>

namespace kubecoro {
namespace {

enum class merge_result
{
    merged,
    nothing_left,
    apart
};

/// Makes `older` say what both say, if one event can.
merge_result merge_into(notification& older, const notification& newer)
{
    if (auto* a = std::get_if<added>(&older)) {
        if (std::holds_alternative<deleted>(newer)) return merge_result::nothing_left;
        a->obj = object_of(newer);
        return merge_result::merged;
    }
    if (auto* u = std::get_if<updated>(&older)) {
        if (std::holds_alternative<deleted>(newer))
            older = newer;
        else
            u->after = object_of(newer);
        return merge_result::merged;
    }
    // After a deletion only an add can follow, and that stays an event of its own also for the same uid (an object that
    // left a selector and came back): an update would need the state the reader was told last, which is not here.
    return merge_result::apart;
}

} // namespace

listener_core::listener_core(std::size_t max_pending) : max_pending_(std::max<std::size_t>(1, max_pending)) {}

void listener_core::add(const notification& n)
{
    if (live_ >= max_pending_ && !last_) build_index();
    if (live_ >= max_pending_)
        merge(n);
    else
        append(n);
}

void listener_core::append(const notification& n)
{
    queue_.emplace_back(n);
    ++live_;
    if (last_) last_->insert_or_assign(object_of(n), first_ + queue_.size() - 1);
}

void listener_core::merge(const notification& n)
{
    auto found = last_->find(object_of(n));
    if (found == last_->end()) return append(n);
    const std::uint64_t position = found->second;
    switch (merge_into(*at(position), n)) {
    case merge_result::apart:
        return append(n);
    case merge_result::nothing_left:
        ++coalesced_;
        last_->erase(found);
        return drop(position);
    case merge_result::merged:
        ++coalesced_;
        // The key of the table must be a handle that is waiting anyway, not one that would stay alive for it alone.
        last_->erase(found);
        last_->emplace(object_of(*at(position)), position);
        return;
    }
}

void listener_core::build_index()
{
    last_.emplace();
    last_->reserve(queue_.size());
    for (std::size_t i = 0; i < queue_.size(); ++i)
        if (queue_[i]) last_->insert_or_assign(object_of(*queue_[i]), first_ + i);
}

void listener_core::drop(std::uint64_t position)
{
    at(position).reset();
    --live_;
    trim();
    if (queue_.size() > 2 * live_ + max_pending_) compact();
}

// Empty entries at the front need no reader.
void listener_core::trim()
{
    while (!queue_.empty() && !queue_.front()) {
        queue_.pop_front();
        ++first_;
    }
    if (!in_work_) finished_ = first_;
}

void listener_core::compact()
{
    if (mark_ && *mark_ > first_) {
        const auto end =
            queue_.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(*mark_ - first_, queue_.size()));
        const auto empty = std::count(queue_.begin(), end, std::nullopt);
        *mark_ -= static_cast<std::uint64_t>(empty);
    }
    std::erase(queue_, std::nullopt);
    build_index();
}

void listener_core::mark_initial() { mark_ = first_ + queue_.size(); }

std::vector<notification> listener_core::pop(std::size_t max)
{
    finished();
    std::vector<notification> out;
    out.reserve(std::min(max, live_));
    while (!queue_.empty() && out.size() < max) {
        if (entry& front = queue_.front()) {
            if (last_) {
                auto found = last_->find(object_of(*front));
                if (found != last_->end() && found->second == first_) last_->erase(found);
            }
            out.push_back(std::move(*front));
            --live_;
        }
        queue_.pop_front();
        ++first_;
    }
    in_work_ = !out.empty();
    trim();
    if (live_ <= max_pending_ / 2) last_.reset();
    return out;
}

void listener_core::clear()
{
    first_ += queue_.size();
    queue_.clear();
    live_ = 0;
    last_.reset();
    if (!in_work_) finished_ = first_;
}

} // namespace kubecoro
