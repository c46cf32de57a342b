#include "writes/own_writes_core.hpp"

#include <kubecoro/api/resource.hpp>

#include <algorithm>
#include <utility>

namespace kubecoro::detail {

bool own_writes_core::in_order::operator()(std::string_view a, std::string_view b) const noexcept
{
    return std::is_lt(compare_versions(a, b));
}

own_writes_core::news own_writes_core::add(object_key_view key, const std::vector<write>& writes,
                                           const std::vector<removal>& removals, time_point expiry)
{
    news told;
    const auto can_be_seen = [](const write& w) { return is_comparable_version(w.version); };
    if (removals.empty() && std::none_of(writes.begin(), writes.end(), can_be_seen)) return told;
    const auto [at, fresh] = keys_.try_emplace(object_key(key));
    entry& e = at->second;
    if (fresh) e.until = moments_.emplace(moments_.end(), expiry, at->first);
    moments_.splice(moments_.end(), moments_, e.until);
    e.until->first = expiry;
    try {
        for (const auto& w : writes)
            if (can_be_seen(w)) wait(e, at->first, w, told);
        for (const auto& r : removals) wait(e, at->first, r);
    } catch (...) { // a key without a wait would be held forever
        std::vector<released> nobody;
        release(at, nobody);
        throw;
    }
    return told;
}

own_writes_core::place_id own_writes_core::place_for(const write& w, news& told)
{
    const auto [at, fresh] = ids_.try_emplace({w.source, w.ns}, next_id_);
    if (!fresh) return at->second;
    places_.emplace(next_id_, watched{.source = w.source, .ns = w.ns});
    told.begun.push_back({.id = next_id_, .source = w.source, .ns = w.ns});
    return next_id_++;
}

void own_writes_core::wait(entry& e, const object_key& key, const write& w, news& told)
{
    const place_id id = place_for(w, told);
    waits& waiting = places_.find(id)->second.waiting;
    const auto known = e.writes.find(id);
    if (known != e.writes.end()) {
        if (!in_order()(known->second->first, w.version)) return;
        waiting.erase(known->second);
    }
    const auto mine = waiting.emplace(w.version, key);
    e.writes[id] = mine;
    // The watch of an empty place calls next() anyway.
    if (mine == waiting.begin() && waiting.size() > 1) told.changed.push_back(id);
}

void own_writes_core::wait(entry& e, const object_key& key, const removal& r)
{
    e.removals.emplace(r.source, r.key); // first: release() goes by it
    auto& all = removals_[r.key];
    auto at = std::find_if(all.begin(), all.end(), [&r](const auto& w) { return w.what.source == r.source; });
    if (at == all.end()) at = all.insert(at, {.what = r});
    at->what = r; // of two objects of one name, the later one
    at->waiting.insert(key);
}

bool own_writes_core::awaits_removal(std::uint32_t source, object_key_view key) const
{
    if (removals_.empty()) return false;
    const auto at = removals_.find(key);
    if (at == removals_.end()) return false;
    return std::any_of(at->second.begin(), at->second.end(), [&](const auto& w) { return w.what.source == source; });
}

template<class Ended>
void own_writes_core::end_removals(removal_map::iterator at, Ended ended, std::vector<released>& out)
{
    const object_key removed = at->first;
    std::vector<removal_wait> over;
    auto& all = at->second;
    for (auto w = all.begin(); w != all.end();) {
        if (!ended(w->what)) {
            ++w;
            continue;
        }
        over.push_back(std::move(*w));
        w = all.erase(w);
    }
    if (all.empty()) removals_.erase(at);
    for (const auto& w : over) {
        for (const auto& key : w.waiting) {
            const auto waiting = keys_.find(key);
            auto& e = waiting->second;
            e.removals.erase({w.what.source, removed});
            if (e.writes.empty() && e.removals.empty()) release(waiting, out);
        }
    }
}

void own_writes_core::shows(std::uint32_t source, object_key_view key, std::string_view uid, bool being_deleted,
                            std::vector<released>& out)
{
    const auto at = removals_.find(key);
    if (at == removals_.end()) return;
    const auto is_seen = [&](const removal& r) {
        return r.source == source && (uid != r.uid || (being_deleted && !r.entirely));
    };
    end_removals(at, is_seen, out);
}

void own_writes_core::give_up_removals(std::uint32_t source, std::vector<released>& out)
{
    std::vector<object_key> of_source;
    for (const auto& [key, all] : removals_)
        if (awaits_removal(source, key)) of_source.push_back(key);
    for (const auto& key : of_source)
        end_removals(
            removals_.find(key), [source](const removal& r) { return r.source == source; }, out);
}

void own_writes_core::forget_removals(const object_key& key, const entry& e)
{
    for (const auto& [source, removed] : e.removals) {
        const auto at = removals_.find(removed);
        if (at == removals_.end()) continue; // memory ran out before it was there
        auto& all = at->second;
        for (auto& w : all)
            if (w.what.source == source) w.waiting.erase(key);
        std::erase_if(all, [](const removal_wait& w) { return w.waiting.empty(); });
        if (all.empty()) removals_.erase(at);
    }
}

bool own_writes_core::hold(object_key_view key, int priority)
{
    const auto at = keys_.find(key);
    if (at == keys_.end()) return false;
    auto& held = at->second.held;
    if (!held) ++held_;
    held = std::max(held.value_or(priority), priority);
    return true;
}

std::optional<std::string> own_writes_core::next(place_id id)
{
    const auto at = places_.find(id);
    if (at == places_.end()) return std::nullopt;
    if (!at->second.waiting.empty()) return at->second.waiting.begin()->first;
    ids_.erase({at->second.source, at->second.ns});
    places_.erase(at);
    return std::nullopt;
}

void own_writes_core::reached(place_id id, std::string_view version, std::vector<released>& out)
{
    const auto at = places_.find(id);
    if (at == places_.end()) return;
    waits& waiting = at->second.waiting;
    end_waits(id, waiting.begin(), waiting.upper_bound(version), out);
}

void own_writes_core::give_up(place_id id, std::vector<released>& out)
{
    const auto at = places_.find(id);
    if (at == places_.end()) return;
    end_waits(id, at->second.waiting.begin(), at->second.waiting.end(), out);
    (void)next(id);
}

void own_writes_core::end_waits(place_id id, waits::iterator from, waits::iterator to, std::vector<released>& out)
{
    waits& waiting = places_.find(id)->second.waiting;
    while (from != to) {
        const auto at = keys_.find(from->second);
        from = waiting.erase(from);
        at->second.writes.erase(id);
        if (at->second.writes.empty() && at->second.removals.empty()) release(at, out);
    }
}

std::size_t own_writes_core::expire(time_point now, std::vector<released>& out, news& told)
{
    std::size_t in_vain = 0;
    while (!moments_.empty() && moments_.front().first <= now) {
        const auto at = keys_.find(moments_.front().second);
        // Allocates before it changes anything; doubles, because many keys may expire at once.
        const auto wanted = told.changed.size() + at->second.writes.size();
        if (wanted > told.changed.capacity()) told.changed.reserve(std::max(wanted, 2 * told.changed.capacity()));
        if (hand_out(at, out)) ++in_vain;
        for (const auto& [id, mine] : at->second.writes) {
            waits& waiting = places_.find(id)->second.waiting;
            if (mine == waiting.begin()) told.changed.push_back(id);
            waiting.erase(mine);
        }
        release(at, out);
    }
    return in_vain;
}

std::optional<time_point> own_writes_core::next_expiry() const
{
    if (moments_.empty()) return std::nullopt;
    return moments_.front().first;
}

std::vector<own_writes_core::place_id> own_writes_core::places_of(std::uint32_t source) const
{
    std::vector<place_id> out;
    for (auto at = ids_.lower_bound({source, {}}); at != ids_.end() && at->first.first == source; ++at)
        out.push_back(at->second);
    return out;
}

bool own_writes_core::hand_out(key_map::iterator at, std::vector<released>& out)
{
    if (!at->second.held) return false;
    out.push_back({at->first, *at->second.held});
    at->second.held.reset();
    --held_;
    return true;
}

void own_writes_core::release(key_map::iterator at, std::vector<released>& out)
{
    (void)hand_out(at, out);
    forget_removals(at->first, at->second);
    moments_.erase(at->second.until);
    keys_.erase(at);
}

} // namespace kubecoro::detail
