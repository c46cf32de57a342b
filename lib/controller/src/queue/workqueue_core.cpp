#include "queue/workqueue_core.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/expect.hpp>

#include <algorithm>
#include <limits>

namespace kubecoro::detail {

workqueue_core::workqueue_core(const rules& r)
    : ready_(entries_, r.ageing, r.fair),
      pace_(r.pace.any() ? std::make_unique<key_pace>(r.pace) : nullptr),
      timed_(r.timed)
{
}

// ---- adding

workqueue_core::added workqueue_core::mark_again(slot s, int wanted, time_point now, cause why) noexcept
{
    key_entry& e = at(s);
    const bool is_ready = !e.processing && !is_held(s);
    if (wanted > e.priority) {
        if (is_ready) ready_.remove(s);
        e.priority = static_cast<std::int16_t>(wanted);
        if (is_ready) ready_.add(s);
    }
    if (!pace_ || is_ready) return added::merged;
    note(s, now, why);
    return e.processing ? added::merged : admit_again(s, now);
}

void workqueue_core::note(slot s, time_point now, cause why) noexcept
{
    if (why == cause::event)
        pace_->event(s, now);
    else
        pace_->due(s, now);
}

/// Makes a dirty key ready, or holds it.
workqueue_core::added workqueue_core::admit(slot s, time_point now) noexcept
{
    const time_point due = pace_->allowed(s);
    if (due > now) return pace_->hold(s, due) ? added::held_first : added::held;
    release(s, now);
    return added::ready;
}

/// The same for a key that was dirty before.
workqueue_core::added workqueue_core::admit_again(slot s, time_point now) noexcept
{
    if (shutting_down_) {
        if (!pace_->cool(s, now)) {
            drop(s);
            return added::ignored;
        }
        pace_->due(s, now);
    }
    switch (admit(s, now)) {
    case added::ready:
        return added::released;
    case added::held_first:
        return added::merged_first;
    default:
        return added::merged;
    }
}

void workqueue_core::release(slot s, time_point now) noexcept
{
    pace_->release(s);
    // The queue's waiting time is that of ready keys.
    if (timed_) moments_[s].added = now;
    ready_.add(s);
}

/// The key needs no run any more.
void workqueue_core::drop(slot s) noexcept
{
    at(s).dirty = false;
    --dirty_;
}

workqueue_core::added workqueue_core::delay_until(slot s, time_point due, int priority)
{
    const bool first = delays_.push({.due = due, .slot = s, .priority = priority});
    return first ? added::delayed_first : added::delayed;
}

workqueue_core::added workqueue_core::add_after(slot s, duration delay, int priority, time_point now)
{
    if (shutting_down_) return added::ignored;
    if (delay <= duration::zero()) return mark(s, priority, now, cause::due);
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

// ---- delays

std::optional<time_point> workqueue_core::next_due() const noexcept
{
    std::optional<time_point> first;
    if (!delays_.empty()) first = delays_.top().due;
    if (!pace_ || pace_->held().empty()) return first;
    return std::min(first.value_or(time_point::max()), pace_->held().top().due);
}

workqueue_core::moved workqueue_core::advance(time_point now, std::size_t max, std::vector<slot>& idle)
{
    moved out;
    const auto is_due = [now](const delay_heap& waiting) { return !waiting.empty() && waiting.top().due <= now; };
    for (std::size_t n = 0; n < max; ++n) {
        if (is_due(delays_)) {
            const auto due = delays_.pop();
            const added a = mark(due.slot, due.priority, now, cause::due);
            if (a == added::ready || a == added::released) ++out.ready;
            if (a == added::ready || a == added::after_work || a == added::held || a == added::held_first) ++out.dirty;
        } else if (pace_ && is_due(pace_->held())) {
            if (end_hold(now, idle)) ++out.ready;
        } else {
            break;
        }
    }
    return out;
}

/// Ends the hold of the key that is due first.
bool workqueue_core::end_hold(time_point now, std::vector<slot>& idle)
{
    const slot s = pace_->pop();
    if (at(s).dirty && !at(s).processing) {
        release(s, now);
        return true;
    }
    idle.push_back(s);
    return false;
}

// ---- the end

std::vector<workqueue_core::slot> workqueue_core::shut_down(time_point now)
{
    std::vector<slot> dropped;
    dropped.reserve(delays_.size() + (pace_ ? pace_->held().size() : 0));
    shutting_down_ = true;
    while (pace_ && !pace_->held().empty()) {
        const slot s = pace_->pop();
        if (at(s).dirty && !at(s).processing) (void)admit_again(s, now);
        if (!delays_.contains(s)) dropped.push_back(s); // each slot once
    }
    for (const auto& n : delays_.nodes()) dropped.push_back(n.slot);
    delays_.clear();
    return dropped;
}

void workqueue_core::add_pages(slot s)
{
    const std::size_t slots = (s / key_entries::page_size + 1) * key_entries::page_size;
    if (timed_ && slots > moments_.size()) moments_.resize(slots);
    ready_.make_room(slots);
    if (pace_) pace_->make_room(slots);
    entries_.make_room(s); // last: it says that there is room
}

void workqueue_core::shrink() noexcept
{
    KUBECORO_EXPECT(dirty_ == 0 && processing_ == 0);
    entries_.shrink();
    ready_.shrink();
    if (pace_) pace_->shrink();
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
