#include "state/resource_store.hpp"

#include <kubecoro/base/detail/expect.hpp>
#include <algorithm>
namespace kubecoro::apiserver {
namespace {

/// The cost of an entry besides its texts.
constexpr std::size_t overhead = 128;

std::size_t cost_of(const std::string& form, const std::string& text) { return overhead + form.size() + text.size(); }

} // namespace

rendered_events::line rendered_events::find(std::uint64_t sequence, const std::string& form) const
{
    const auto at = lines_.find(key(sequence, form));
    return at == lines_.end() ? nullptr : at->second;
}

void rendered_events::keep(std::uint64_t sequence, std::string form, line made)
{
    const auto cost = cost_of(form, *made);
    if (cost > most_bytes) return;
    const auto [at, added] = lines_.try_emplace(key(sequence, std::move(form)), std::move(made));
    if (!added) return;
    bytes_ += cost;
    while (bytes_ > most_bytes) forget_oldest();
}

void rendered_events::forget_before(std::uint64_t sequence)
{
    while (!lines_.empty() && lines_.begin()->first.first < sequence) forget_oldest();
}

void rendered_events::forget_oldest()
{
    const auto oldest = lines_.begin();
    bytes_ -= cost_of(oldest->first.second, *oldest->second);
    lines_.erase(oldest);
}

stored resource_store::find(std::string_view key) const
{
    const auto it = objects_.find(key);
    return it == objects_.end() ? nullptr : it->second;
}

namespace {

/// Estimates the bytes of a change: the state before, which only the history may hold, and the event's shared line and
/// frame.
std::size_t cost_of(const change& c)
{
    constexpr std::size_t frame = 512;
    const std::size_t last_state = c.type == change_type::deleted ? c.object->text.size() : 0;
    return frame + (c.before ? c.before->text.size() : 0) + 2 * c.object->text.size() + last_state;
}

} // namespace

void resource_store::record(change c)
{
    if (c.type == change_type::deleted)
        objects_.erase(c.object->key);
    else
        objects_.insert_or_assign(c.object->key, c.object);
    const std::size_t cost = cost_of(c);
    history_.push_back(std::make_shared<const change>(std::move(c)));
    bytes_ += cost;
    *all_bytes_ += cost;
    while (history_.size() > limit_ || (bytes_ > limit_bytes_ && history_.size() > 1)) forget_oldest_change();
}

void resource_store::forget_oldest_change()
{
    KUBECORO_EXPECT(!history_.empty());
    const std::size_t cost = cost_of(*history_.front());
    bytes_ -= cost;
    *all_bytes_ -= cost;
    floor_ = history_.front()->version;
    history_.pop_front();
    ++first_;
    rendered_.forget_before(first_);
    if (kept_.sequence < first_) kept_ = {}; // can no longer be requested
}

void resource_store::forget_lines()
{
    for (const auto& change : history_) change->line = change->frame = nullptr;
}

void resource_store::compact(std::uint64_t version)
{
    while (!history_.empty()) forget_oldest_change();
    floor_ = version;
    kept_ = {};
}

std::uint64_t resource_store::sequence_after(std::uint64_t version) const
{
    const auto it = std::upper_bound(history_.begin(), history_.end(), version,
                                     [](std::uint64_t v, const auto& c) { return v < c->version; });
    return first_ + static_cast<std::uint64_t>(it - history_.begin());
}

std::shared_ptr<const std::vector<stored>> resource_store::snapshot(std::uint64_t version) const
{
    const auto sequence = sequence_after(version);
    if (kept_.objects && kept_.sequence == sequence) return kept_.objects;

    // Undo the later changes, newest first: the oldest `before` of a key wins.
    std::map<std::string_view, stored> undone;
    for (auto s = end_sequence(); s > sequence; --s) undone[at(s - 1).object->key] = at(s - 1).before;

    auto result = std::make_shared<std::vector<stored>>();
    result->reserve(objects_.size() + undone.size());
    auto old = undone.begin();
    const auto take_old = [&] {
        if (old->second) result->push_back(old->second);
        ++old;
    };
    for (const auto& [key, object] : objects_) {
        while (old != undone.end() && old->first < key) take_old();
        if (old != undone.end() && old->first == key)
            take_old();
        else
            result->push_back(object);
    }
    while (old != undone.end()) take_old();
    kept_ = {sequence, result};
    return result;
}

std::pair<std::string, std::string> key_range(std::string_view ns)
{
    if (ns.empty()) return {"/", "0"}; // '0' follows '/'.
    return {"/" + std::string(ns) + "/", "/" + std::string(ns) + "0"};
}

void store_follower::follow()
{
    const bool missed = next_ < store_->first_sequence() || replacements_ != store_->replacements();
    const bool starts_over = stale_ || missed;
    if (!starts_over && next_ == store_->end_sequence()) return;
    stale_ = true; // until all is noted
    if (starts_over) {
        clear();
        replacements_ = store_->replacements();
        for (const auto& [key, object] : store_->objects()) put(object);
        next_ = store_->end_sequence();
    }
    for (; next_ < store_->end_sequence(); ++next_) {
        const auto& change = store_->at(next_);
        erase(change.object->key);
        if (change.type != change_type::deleted) put(change.object);
    }
    stale_ = false;
}

} // namespace kubecoro::apiserver
