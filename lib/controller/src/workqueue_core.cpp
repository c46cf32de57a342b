#include "workqueue_core.hpp"

#include <kubecoro/base/later.hpp>

#include <algorithm>
#include <bit>
#include <limits>

namespace kubecoro {

std::size_t workqueue_core::level_of(int priority) noexcept
{
    return static_cast<std::size_t>(std::clamp(priority, -max_priority, max_priority) + max_priority);
}

// ---- the lists

void workqueue_core::append(list& l, slot s) noexcept
{
    entry& e = at(s);
    e.next = none;
    e.previous = l.last;
    (l.last == none ? l.first : at(l.last).next) = s;
    l.last = s;
}

void workqueue_core::unlink(list& l, slot s) noexcept
{
    const entry& e = at(s);
    (e.previous == none ? l.first : at(e.previous).next) = e.next;
    (e.next == none ? l.last : at(e.next).previous) = e.previous;
}

void workqueue_core::make_ready(slot s) noexcept
{
    const std::size_t level = level_of(at(s).priority);
    at(s).sequence = next_sequence_++;
    if (queues_[level].first == none) {
        filled_[level / word_bits] |= std::uint64_t{1} << (level % word_bits);
        ++filled_levels_;
    }
    append(queues_[level], s);
    ++ready_;
}

void workqueue_core::remove_ready(slot s) noexcept
{
    const std::size_t level = level_of(at(s).priority);
    unlink(queues_[level], s);
    if (queues_[level].first == none) {
        filled_[level / word_bits] &= ~(std::uint64_t{1} << (level % word_bits));
        --filled_levels_;
    }
    --ready_;
}

// ---- adding

workqueue_core::added workqueue_core::mark(slot s, int priority, time_point now) noexcept
{
    entry& e = at(s);
    const auto wanted = static_cast<std::int16_t>(std::clamp(priority, -max_priority, max_priority));
    if (e.dirty) {
        if (wanted <= e.priority) return added::merged;
        if (!e.processing) remove_ready(s);
        e.priority = wanted;
        if (!e.processing) make_ready(s);
        return added::merged;
    }
    e.dirty = true;
    e.priority = wanted;
    e.added = now;
    ++dirty_;
    if (e.processing) return added::after_work;
    make_ready(s);
    return added::ready;
}

workqueue_core::added workqueue_core::delay_until(slot s, time_point due, int priority)
{
    delays_.push({.due = due, .slot = s, .priority = priority});
    return added::delayed;
}

workqueue_core::added workqueue_core::add(slot s, int priority, time_point now)
{
    return shutting_down_ ? added::ignored : mark(s, priority, now);
}

workqueue_core::added workqueue_core::add_after(slot s, duration delay, int priority, time_point now)
{
    if (shutting_down_) return added::ignored;
    if (delay <= duration::zero()) return mark(s, priority, now);
    return delay_until(s, later(now, delay), priority);
}

workqueue_core::added workqueue_core::limited(slot s, rate_limiter& limiter, unsigned failures, int priority,
                                              time_point now)
{
    const duration delay = limiter.delay(failures, now);
    const time_point due = later(now, delay);
    const bool waits_already = delays_.contains(s) && delays_.due(s) <= due;
    // Only what is really queued uses up the limiter.
    if (!waits_already) limiter.taken(now);
    if (delay <= duration::zero()) return mark(s, priority, now);
    return delay_until(s, due, priority);
}

workqueue_core::added workqueue_core::add_rate_limited(slot s, rate_limiter& limiter, int priority, time_point now)
{
    if (shutting_down_) return added::ignored;
    const unsigned before = at(s).failures;
    const added outcome = limited(s, limiter, before, priority, now);
    if (before < std::numeric_limits<std::uint32_t>::max()) ++at(s).failures;
    return outcome;
}

workqueue_core::added workqueue_core::retry(slot s, rate_limiter& limiter, int priority, time_point now)
{
    const unsigned before = at(s).failures;
    if (before == 0 || !delays_.contains(s)) return add_rate_limited(s, limiter, priority, now);
    return shutting_down_ ? added::ignored : limited(s, limiter, before - 1, priority, now);
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

// ---- handing out

std::size_t workqueue_core::top_level() const noexcept
{
    std::size_t w = filled_.size() - 1;
    while (filled_[w] == 0) --w;
    return w * word_bits + (word_bits - 1) - static_cast<std::size_t>(std::countl_zero(filled_[w]));
}

std::size_t workqueue_core::oldest_level() const noexcept
{
    std::size_t oldest = top_level();
    for (std::size_t w = 0; w < filled_.size(); ++w) {
        for (std::uint64_t bits = filled_[w]; bits != 0; bits &= bits - 1) {
            const std::size_t level = w * word_bits + static_cast<std::size_t>(std::countr_zero(bits));
            if (at(queues_[level].first).sequence < at(queues_[oldest].first).sequence) oldest = level;
        }
    }
    return oldest;
}

std::size_t workqueue_core::choose_level() noexcept
{
    if (filled_levels_ == 1 || ageing_ == 0) passed_over_ = 0;
    if (filled_levels_ == 1 || ageing_ == 0 || ++passed_over_ < ageing_) return top_level();
    passed_over_ = 0;
    return oldest_level();
}

std::optional<workqueue_core::handed> workqueue_core::take(time_point now)
{
    if (ready_ == 0) return std::nullopt;
    const slot s = queues_[choose_level()].first;
    remove_ready(s);
    entry& e = at(s);
    e.dirty = false;
    --dirty_;
    e.processing = true;
    e.started = now;
    append(work_, s);
    ++processing_;
    return handed{.s = s, .priority = e.priority, .waited = now - e.added};
}

bool workqueue_core::done(slot s)
{
    unlink(work_, s);
    --processing_;
    at(s).processing = false;
    if (at(s).dirty) make_ready(s);
    return at(s).dirty;
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

bool workqueue_core::idle(slot s) const noexcept
{
    const entry& e = at(s);
    return !e.dirty && !e.processing && e.failures == 0 && !delays_.contains(s);
}

void workqueue_core::shrink() noexcept
{
    pages_ = std::vector<std::unique_ptr<page>>(); // = {} would keep the memory
    delays_.shrink();
}

// ---- looking

std::vector<workqueue_core::slot> workqueue_core::in_work(std::size_t max) const
{
    std::vector<slot> out;
    for (slot s = work_.first; s != none && out.size() < max; s = at(s).next) out.push_back(s);
    return out;
}

std::optional<time_point> workqueue_core::oldest_start() const noexcept
{
    if (work_.first == none) return std::nullopt;
    return at(work_.first).started;
}

duration workqueue_core::unfinished(time_point now) const noexcept
{
    duration sum{0};
    for (slot s = work_.first; s != none; s = at(s).next) sum += now - at(s).started;
    return sum;
}

} // namespace kubecoro
