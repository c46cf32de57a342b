#include "events/event_correlator_core.hpp"

#include <algorithm>
#include <chrono>

namespace kubecoro::detail {
namespace {

constexpr double retry_jitter = 0.25;
constexpr std::string_view combined = "(combined from similar events): ";
constexpr std::size_t max_note = 1024;

duration scaled(duration d, double by) { return std::chrono::duration_cast<duration>(d * by); }

std::uint64_t nanoseconds(wall_time t)
{
    const auto count = std::chrono::duration_cast<std::chrono::nanoseconds>(t.time_since_epoch()).count();
    return static_cast<std::uint64_t>(std::max<decltype(count)>(count, 0));
}

} // namespace

event_correlator_core::event_correlator_core(event_api api, const event_limits& limits, std::uint64_t seed)
    : counts_each_(api == event_api::core_v1),
      limits_(limits),
      random_(seed),
      spam_(limits.object_burst, limits.object_interval, limits.max_recent),
      similar_(limits.max_recent)
{
}

void event_correlator_core::record(std::optional<event_draft> d, time_point now, wall_time wall)
{
    ++stats_.recorded;
    if (closed_) {
        ++stats_.dropped_stopped;
        return;
    }
    if (!d) {
        ++stats_.dropped_refused;
        return;
    }
    std::string key = similarity_key(*d);
    if (counts_each_) {
        const bool combines = similar_.combines(key, d->note, now);
        if (combines)
            d->note = clean_text(std::string(combined) + d->note, max_note);
        else
            key += d->note;
        key += combines ? 'c' : 's';
    }
    if (const auto found = index_.find(key); found != index_.end())
        repeat(found->second, *d, now, wall);
    else
        begin_series(std::move(key), *std::move(d), now, wall);
}

void event_correlator_core::repeat(id which, event_draft& d, time_point now, wall_time wall)
{
    event_series& s = series_.at(which);
    ++stats_.repeated;
    ++s.count;
    s.last = wall;
    s.last_at = now;
    if (counts_each_) {
        bytes_ += d.note.size();
        bytes_ -= s.what.note.size();
        s.what.note.swap(d.note);
    }
    if (s.idle) idle_.splice(idle_.begin(), idle_, *s.idle);
    // The second of its kind begins a series at once; later ones only count.
    const bool tells = counts_each_ || s.count == 2;
    if (tells && (!s.idle || has_room_for(s.ns)) && admits(s.what, now)) want(which, s);
}

bool event_correlator_core::has_room_for(const std::string& ns) const noexcept
{
    if (!has_room()) return false;
    const std::size_t room = limits_.max_pending - pending();
    if (room > limits_.max_pending / reserve) return true;
    const auto at = pending_in_.find(ns);
    return at == pending_in_.end() || at->second < room;
}

void event_correlator_core::no_longer_pending(const event_series& s) noexcept
{
    const auto at = pending_in_.find(s.ns);
    if (--at->second == 0) pending_in_.erase(at);
}

void event_correlator_core::begin_series(std::string key, event_draft d, time_point now, wall_time wall)
{
    if (!admits(d, now)) {
        ++stats_.dropped_spam;
        return;
    }
    event_series s;
    s.ns = d.regarding.ns.empty() ? "default" : d.regarding.ns;
    s.name = new_name(d.regarding, wall);
    s.first = s.last = wall;
    s.last_at = s.stored_at = now;
    s.what = std::move(d);
    s.key = std::move(key);
    const std::size_t bytes = s.bytes();
    if (!has_room_for(s.ns) || !make_room(bytes)) {
        ++stats_.dropped_full;
        return;
    }
    const id which = ++last_id_;
    // In this order, the event is sent even if memory ends on the way.
    ready_.reserve(ready_.size() + 1);
    const std::string key_text = s.key;
    const auto pending_here = pending_in_.try_emplace(s.ns).first;
    try {
        series_.emplace(which, std::move(s));
    } catch (...) {
        if (pending_here->second == 0) pending_in_.erase(pending_here);
        throw;
    }
    ++pending_here->second;
    bytes_ += bytes;
    ready_.push_back(which);
    index_.emplace(key_text, which);
}

bool event_correlator_core::admits(const event_draft& d, time_point now)
{
    return spam_.admits(target_key(d.regarding), now);
}

/// Forgets idle series, those that were not used for longest first.
bool event_correlator_core::make_room(std::size_t bytes)
{
    for (;;) {
        const bool too_large = bytes_ + bytes > limits_.max_bytes;
        if (!too_large && index_.size() < limits_.max_recent) return has_room();
        if (idle_.empty()) return false;
        const id oldest = idle_.back();
        event_series& s = series_.at(oldest);
        if (s.count > s.stored && !too_large && has_room())
            retire(oldest, s);
        else
            give_up(oldest, stats_.dropped_full);
    }
}

void event_correlator_core::want(id which, event_series& s)
{
    s.wanted = s.count;
    if (!s.idle) return; // its request, or its next one, will have it
    ++pending_in_[s.ns];
    idle_.erase(*s.idle);
    s.idle.reset();
    ready_.push_back(which);
}

void event_correlator_core::unlink(event_series& s)
{
    if (s.key.empty()) return;
    bytes_ -= 2 * s.key.size();
    index_.erase(s.key);
    s.key.clear();
}

/// Sends the rest; the next such event begins another series.
void event_correlator_core::retire(id which, event_series& s)
{
    unlink(s);
    want(which, s);
}

void event_correlator_core::forget(id which)
{
    const auto at = series_.find(which);
    unlink(at->second);
    if (at->second.idle)
        idle_.erase(*at->second.idle);
    else
        no_longer_pending(at->second);
    bytes_ -= at->second.bytes();
    series_.erase(at);
}

std::string event_correlator_core::new_name(const event_target& of, wall_time wall)
{
    last_stamp_ = std::max(last_stamp_ + 1, nanoseconds(wall));
    return event_name(of.name, last_stamp_);
}

std::optional<event_correlator_core::request> event_correlator_core::begin(id which)
{
    const auto at = series_.find(which);
    if (at == series_.end() || at->second.idle) return std::nullopt;
    event_series& s = at->second;
    s.wanted = s.sending = s.count;
    return request{.creates = s.stored == 0, .of = s};
}

std::optional<duration> event_correlator_core::ended(id which, ending how, time_point now)
{
    const auto at = series_.find(which);
    if (at == series_.end() || at->second.idle) return std::nullopt; // begin() has given no request
    event_series& s = at->second;
    const bool created = s.stored == 0;
    switch (how) {
    case ending::stored:
        ++(created ? stats_.created : stats_.updated);
        s.stored = s.sending;
        s.stored_at = now;
        return settled(which, s);
    case ending::exists:
        // Its first request had a count of its own.
        s.stored = created ? 1 : s.sending;
        return settled(which, s);
    case ending::absent:
        if (!created) {
            s.stored = 0;
            return duration::zero();
        }
        [[fallthrough]];
    case ending::refused:
        give_up(which, stats_.dropped_refused);
        return std::nullopt;
    case ending::try_again:
        break;
    }
    return retry(which, s);
}

std::optional<duration> event_correlator_core::settled(id which, event_series& s)
{
    s.attempts = 0;
    if (s.wanted > s.stored) return duration::zero();
    if (s.key.empty()) {
        forget(which);
        return std::nullopt;
    }
    idle_.push_front(which);
    s.idle = idle_.begin();
    no_longer_pending(s);
    return std::nullopt;
}

std::optional<duration> event_correlator_core::retry(id which, event_series& s)
{
    if (closed_ || ++s.attempts >= limits_.attempts) {
        give_up(which, closed_ ? stats_.dropped_stopped : stats_.dropped_failed);
        return std::nullopt;
    }
    ++stats_.retried;
    const double unit = next_unit(random_);
    // The first pause is spread over its whole length: many recorders may have lost the same server.
    return scaled(limits_.retry_delay, s.attempts == 1 ? unit : 1 + retry_jitter * unit);
}

void event_correlator_core::give_up(id which, std::uint64_t& counter)
{
    const event_series& s = series_.at(which);
    counter += s.count - std::min(s.count, s.stored);
    forget(which);
}

void event_correlator_core::sweep(time_point now)
{
    std::vector<id> over;
    for (auto& [which, s] : series_) {
        const auto quiet = now - s.last_at;
        if (quiet >= (counts_each_ ? forget_after : finish_after))
            over.push_back(which);
        else if (s.idle && s.count > s.stored && now - s.stored_at >= refresh_after && has_room_for(s.ns))
            want(which, s);
    }
    for (const id which : over) {
        event_series& s = series_.at(which);
        if (!s.idle)
            unlink(s);
        else if (s.count == s.stored)
            forget(which);
        else if (has_room_for(s.ns))
            retire(which, s);
    }
}

void event_correlator_core::close()
{
    if (std::exchange(closed_, true)) return;
    std::vector<id> nothing_left;
    for (auto& [which, s] : series_) {
        if (s.idle && s.count == s.stored) {
            nothing_left.push_back(which);
            continue;
        }
        unlink(s);
        // Also what rests before its next attempt.
        if (!s.idle) ready_.push_back(which);
        want(which, s);
    }
    for (const id which : nothing_left) forget(which);
}

std::uint64_t event_correlator_core::abandon()
{
    closed_ = true;
    std::uint64_t lost = 0;
    for (const auto& [which, s] : series_) lost += s.count - std::min(s.count, s.stored);
    stats_.dropped_stopped += lost;
    series_.clear();
    index_.clear();
    idle_.clear();
    pending_in_.clear();
    ready_.clear();
    bytes_ = 0;
    return lost;
}

event_recorder_stats event_correlator_core::stats() const
{
    auto s = stats_;
    s.recent = series_.size();
    s.pending = series_.size() - idle_.size();
    s.bytes = bytes_;
    return s;
}

} // namespace kubecoro::detail
