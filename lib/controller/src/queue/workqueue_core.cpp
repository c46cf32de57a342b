#include "queue/workqueue_core.hpp"

#include <kubecoro/base/saturating_time.hpp>

#include <limits>

namespace kubecoro::detail {

// ---- adding

void workqueue_core::raise(slot s, key_entry& e, int priority) noexcept
{
    if (!e.processing) ready_.remove(s);
    e.priority = static_cast<std::int16_t>(priority);
    if (!e.processing) ready_.add(s);
}

workqueue_core::added workqueue_core::delay_until(slot s, time_point due, int priority)
{
    const bool first = delays_.push({.due = due, .slot = s, .priority = priority});
    return first ? added::delayed_first : added::delayed;
}

workqueue_core::added workqueue_core::add_after(slot s, duration delay, int priority, time_point now)
{
    if (shutting_down_) return added::ignored;
    if (delay <= duration::zero()) return mark(s, priority, now);
    return delay_until(s, time_after(now, delay), priority);
}

workqueue_core::added workqueue_core::add_rate_limited(slot s, duration delay, int priority, time_point now)
{
    const added outcome = add_after(s, delay, priority, now);
    if (shutting_down_) return outcome;
    auto& failures = at(s).failures;
    if (failures < std::numeric_limits<std::uint32_t>::max()) ++failures;
    return outcome;
}

workqueue_core::added workqueue_core::retry(slot s, duration delay, int priority, time_point now)
{
    return counted_already(s) ? add_after(s, delay, priority, now) : add_rate_limited(s, delay, priority, now);
}

workqueue_core::moved workqueue_core::advance(time_point now, std::size_t max)
{
    moved out;
    for (std::size_t n = 0; n < max && !delays_.empty() && delays_.top().due <= now; ++n) {
        const auto due = delays_.pop();
        const added a = mark(due.slot, due.priority, now);
        if (a == added::ready) ++out.ready;
        if (a != added::merged) ++out.dirty;
    }
    return out;
}

// ---- the end

std::vector<workqueue_core::slot> workqueue_core::shut_down()
{
    shutting_down_ = true;
    std::vector<slot> dropped;
    dropped.reserve(delays_.size());
    for (const auto& n : delays_.nodes()) dropped.push_back(n.slot);
    delays_.clear();
    return dropped;
}

void workqueue_core::add_pages(slot s)
{
    const std::size_t slots = (s / key_entries::page_size + 1) * key_entries::page_size;
    if (timed_ && slots > moments_.size()) moments_.resize(slots);
    ready_.make_room(slots);
    entries_.make_room(s); // last: it says that there is room
}

void workqueue_core::shrink() noexcept
{
    entries_.shrink();
    ready_.shrink();
    moments_ = std::vector<moments>();
    delays_.shrink();
}

// ---- observers

std::vector<workqueue_core::slot> workqueue_core::in_work(std::size_t max) const
{
    std::vector<slot> out;
    for (slot s = work_.first; s != none && out.size() < max; s = at(s).next) out.push_back(s);
    return out;
}

std::optional<time_point> workqueue_core::oldest_start() const noexcept
{
    if (work_.first == none) return std::nullopt;
    return moments_[work_.first].started;
}

duration workqueue_core::unfinished(time_point now) const noexcept
{
    duration sum{0};
    for (slot s = work_.first; s != none; s = at(s).next) sum += now - moments_[s].started;
    return sum;
}

} // namespace kubecoro::detail
