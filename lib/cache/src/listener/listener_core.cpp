#include "listener/listener_core.hpp"

#include <kubecoro/api/detail/kept_object.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace kubecoro::detail {
namespace {

enum class merge_result
{
    merged,
    nothing_left,
    apart
};

/// Merges `newer` into `older` if one event can express both.
merge_result merge_into(notification<object>& older, const notification<object>& newer)
{
    // An add always starts a new event: the deletion before it may wait elsewhere.
    if (std::holds_alternative<added<object>>(newer)) return merge_result::apart;
    if (auto* a = std::get_if<added<object>>(&older)) {
        if (std::holds_alternative<deleted<object>>(newer)) return merge_result::nothing_left;
        a->obj = object_of(newer);
        return merge_result::merged;
    }
    if (auto* u = std::get_if<updated<object>>(&older)) {
        if (std::holds_alternative<deleted<object>>(newer))
            older = newer;
        else
            u->after = object_of(newer);
        return merge_result::merged;
    }
    // After a deletion only an add can follow. It stays a separate event even for the same uid (an object that left a
    // selector and came back): an update would need the last delivered state, which is not known here.
    return merge_result::apart;
}

/// True for events that do not stem from a change on the server.
bool is_initial(const notification<object>& n) noexcept
{
    const auto* a = std::get_if<added<object>>(&n);
    return a && a->initial;
}
bool is_resync(const notification<object>& n) noexcept
{
    const auto* u = std::get_if<updated<object>>(&n);
    return u && u->resync();
}
bool is_replay(const notification<object>& n) noexcept { return is_initial(n) || is_resync(n); }

std::size_t merge_threshold(coalesce policy, std::size_t max_pending) noexcept
{
    switch (policy) {
    case coalesce::latest_per_key:
        return 0;
    case coalesce::never:
        return std::numeric_limits<std::size_t>::max();
    case coalesce::hybrid:
        break;
    }
    return max_pending;
}

std::size_t byte_limit(coalesce policy, std::size_t max_pending, std::size_t max_bytes) noexcept
{
    if (policy != coalesce::never) return max_bytes;
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / listener_core::bytes_an_event;
    return std::max(max_bytes, std::min(max_pending, most) * listener_core::bytes_an_event);
}

/// A table larger than this is released when the queue has drained.
constexpr std::size_t small_table = 1024;

/// Heap bytes of the object of an event. The state before an update is that of the event before it, or the last one
/// delivered.
std::uint32_t bytes_of(const notification<object>& n) noexcept
{
    constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
    return static_cast<std::uint32_t>(std::min(kept_object(object_of(n)).bytes(), most));
}

} // namespace

listener_core::entry::entry(const notification<object>& n) : event_(n), bytes_(bytes_of(n)) {}

void listener_core::entry::weigh() noexcept { bytes_ = bytes_of(event_); }

void listener_core::entry::clear() noexcept
{
    event_ = {};
    waits_ = false;
}

listener_core::listener_core(std::size_t max_pending, coalesce policy, std::size_t max_bytes)
    : max_pending_(std::max<std::size_t>(1, max_pending)),
      max_bytes_(byte_limit(policy, max_pending_, max_bytes)),
      policy_(policy),
      merge_from_(merge_threshold(policy, max_pending_))
{
}

void listener_core::add(const notification<object>& n)
{
    if (policy_ == coalesce::never) {
        if (!admits(n)) return;
        append(n);
        if (!is_replay(n)) return;
        ++replays_;
        replay_bytes_ += bytes_of(n);
        return;
    }
    if (!crowded() || std::holds_alternative<added<object>>(n)) return append(n);
    index_until(first_ + queue_.size());
    merge(n);
}

void listener_core::add(std::span<const notification<object>> batch, std::size_t& taken)
{
    for (; taken < batch.size(); ++taken) {
        if (taken + ahead < batch.size()) prefetch_object(object_of(batch[taken + ahead]).identity());
        add(batch[taken]);
    }
}

/// For policy `never`: returns whether the event is accepted.
bool listener_core::admits(const notification<object>& n)
{
    if (overrun_) return false;
    if (is_replay(n)) return true;
    overrun_ = pending() - replays_ >= max_pending_;
    overrun_by_bytes_ = !overrun_ && bytes() - replay_bytes_ >= max_bytes_;
    overrun_ = overrun_ || overrun_by_bytes_;
    return !overrun_;
}

bool listener_core::merges(std::span<const notification<object>> batch) noexcept
{
    return std::ranges::any_of(batch, [](const auto& n) { return !std::holds_alternative<added<object>>(n); });
}

bool listener_core::index_some(std::size_t& most)
{
    if (policy_ == coalesce::never || !crowded()) return true;
    const std::uint64_t end = first_ + queue_.size();
    const std::uint64_t from = last_ ? std::max(indexed_, first_) : first_;
    const std::uint64_t n = std::min<std::uint64_t>(end - from, most);
    index_until(from + n);
    most -= static_cast<std::size_t>(n);
    return from + n == end;
}

void listener_core::append(const notification<object>& n)
{
    bytes_ += queue_.emplace_back(n).bytes();
    ++live_;
}

void listener_core::merge(const notification<object>& n)
{
    if (auto found = last_->find(object_of(n)); found != last_->end()) return merge_into_queue(found, n);
    const auto key = object_of(n).key();
    auto* waiting = turns_.last(key);
    const auto merged = waiting ? merge_into(waiting->event, n) : merge_result::apart;
    if (merged == merge_result::apart) return append(n);
    ++coalesced_;
    if (merged == merge_result::nothing_left)
        turns_.drop_last(key);
    else
        turns_.merged(*waiting, bytes_of(waiting->event));
}

void listener_core::merge_into_queue(object_map<std::uint64_t>::iterator found, const notification<object>& n)
{
    const std::uint64_t position = found->second;
    entry& waiting = at(position);
    switch (merge_into(*waiting, n)) {
    case merge_result::apart:
        return append(n);
    case merge_result::nothing_left:
        ++coalesced_;
        last_->erase(found);
        return drop(position);
    case merge_result::merged:
        ++coalesced_;
        bytes_ -= waiting.bytes();
        waiting.weigh();
        bytes_ += waiting.bytes();
        // The table's key must be a handle that waits anyway, so that the table keeps no object alive.
        last_->erase(found);
        try {
            last_->emplace(object_of(*waiting), position);
        } catch (...) { // no memory, but the event has been taken: the next one makes the index again
            last_.reset();
        }
        return;
    }
}

/// Adds the entries before `end` to the index.
void listener_core::index_until(std::uint64_t end)
{
    if (!last_) {
        last_.emplace();
        indexed_ = first_;
        last_->reserve(queue_.size());
    }
    for (indexed_ = std::max(indexed_, first_); indexed_ < end; ++indexed_)
        if (const entry& e = at(indexed_)) last_->insert_or_assign(object_of(*e), indexed_);
}

void listener_core::drop(std::uint64_t position)
{
    bytes_ -= at(position).bytes();
    at(position).clear();
    --live_;
    trim();
    if (queue_.size() > 2 * live_ + max_pending_) compact();
}

// Removes empty entries at the front.
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
        const auto empty = std::count_if(queue_.begin(), end, std::logical_not<>());
        *mark_ -= static_cast<std::uint64_t>(empty);
    }
    std::erase_if(queue_, std::logical_not<>());
    last_.reset(); // the next event that may merge makes it again
}

void listener_core::mark_initial() { mark_ = first_ + queue_.size(); }

/// Removes and returns the front entry, which must not be empty.
notification<object> listener_core::take_front()
{
    entry& front = queue_.front();
    if (last_ && first_ < indexed_) {
        const auto found = last_->find(object_of(*front));
        if (found != last_->end() && found->second == first_) last_->erase(found);
    }
    notification<object> n = std::move(*front);
    bytes_ -= front.bytes();
    queue_.pop_front();
    ++first_;
    --live_;
    return n;
}

void listener_core::calm_down()
{
    if (!last_ || live_ > merge_from_ / 2 || bytes_ > max_bytes_ / 2) return;
    if (policy_ == coalesce::hybrid || last_->bucket_count() > small_table) last_.reset();
}

std::vector<notification<object>> listener_core::pop(std::size_t max)
{
    finished();
    in_work_ = true;
    std::vector<notification<object>> out;
    out.reserve(std::min(max, live_));
    for (trim(); !queue_.empty() && out.size() < max; trim()) {
        out.push_back(take_front());
        prefetch_object(object_of(out.back()).identity()); // the reader looks at it next
    }
    in_work_ = !out.empty();
    for (const auto& n : out) handed_out(n);
    trim();
    calm_down();
    return out;
}

std::optional<notification<object>> listener_core::take()
{
    auto out = turns_.next();
    for (trim(); !out && !queue_.empty(); trim()) {
        // Before the mark is set, every entry is initial.
        const bool initial = !mark_ || first_ < *mark_;
        // A copy, because there may be no memory for the key.
        out = turns_.begin({*queue_.front(), initial, queue_.front().bytes()});
        (void)take_front();
    }
    if (out) handed_out(*out);
    trim();
    calm_down();
    return out;
}

void listener_core::handed_out(const notification<object>& n)
{
    if (policy_ != coalesce::never || !is_replay(n)) return;
    --replays_;
    replay_bytes_ -= bytes_of(n);
}

void listener_core::clear()
{
    first_ += queue_.size();
    queue_.swap(dropped_);
    queue_.clear(); // dropped before
    live_ = 0;
    bytes_ = 0;
    replays_ = replay_bytes_ = 0;
    turns_.clear();
    last_.reset();
    if (!in_work_) finished_ = first_;
}

bool listener_core::free_some(std::size_t most) noexcept
{
    for (; most != 0 && !dropped_.empty(); --most) dropped_.pop_back();
    return !dropped_.empty();
}

} // namespace kubecoro::detail
