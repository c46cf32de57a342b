#include "shards/kept_parts.hpp"

#include <kubecoro/base/clock.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace kubecoro::detail {

bool kept_parts::assign(member_id self, const views& now, time_point at, bool waits)
{
    self_ = self;
    const bool is_had = had(now);
    if (is_had) list_at_.reset();
    if (!parts_.empty() && parts_.front().all == now && (is_had || waits)) return false;
    std::vector<part> next; // first what needs memory: a change is made as a whole
    next.reserve(parts_.size() + 1);
    next.push_back({now, is_had ? origin::listed : origin::awaited});
    // No run has begun in a part that was not listed.
    for (const auto& p : parts_)
        if (p.from != origin::awaited) next.push_back(p);
    if (next.size() > most_parts) {
        const auto last = std::move(next.back());
        next.pop_back();
        next.back() = join(next.back(), last);
    }
    parts_ = std::move(next);
    if (is_had) return true;
    if (!list_at_) list_at_ = time_after(at, list_delay_);
    if (!waits) list_at_ = at;
    (void)list_if_due(at);
    return true;
}

bool kept_parts::drained()
{
    if (parts_.size() < 2) return false;
    auto& share = parts_.front();
    const auto listed =
        std::find_if(parts_.begin(), parts_.end(), [](const part& p) { return p.from == origin::listed; });
    if (share.from == origin::listed || listed == parts_.end()) {
        parts_.resize(1);
        return true;
    }
    // The share still has this part of it.
    part rest = *listed;
    for (const auto& v : share.all)
        if (std::find(rest.all.begin(), rest.all.end(), v) == rest.all.end()) rest.all.push_back(v);
    if (parts_.size() == 2 && rest.all == listed->all) return false;
    std::vector<part> left;
    left.reserve(2);
    left.push_back(std::move(share));
    left.push_back(std::move(rest));
    parts_ = std::move(left);
    return true;
}

bool kept_parts::list_if_due(time_point now)
{
    if (!list_at_ || now < *list_at_) return false;
    list_at_.reset();
    parts_.front().from = origin::listed;
    ++gains_;
    return true;
}

bool kept_parts::has(object_key_view key) const noexcept
{
    const auto is_own = [&](const shard_view& v) { return v.owner(key) == self_; };
    return std::any_of(parts_.begin(), parts_.end(),
                       [&](const part& p) { return std::all_of(p.all.begin(), p.all.end(), is_own); });
}

/// Whether the informers were asked for all of it.
bool kept_parts::had(const views& now) const
{
    return std::any_of(parts_.begin(), parts_.end(),
                       [&](const part& p) { return p.from == origin::listed && gains_nothing(self_, p.all, now); });
}

/// The fewer members a view has, the more keys belong to each.
kept_parts::part kept_parts::join(const part& a, const part& b) const
{
    shard_view out = a.all.front();
    for (const auto* p : {&a, &b})
        for (const auto& v : p->all) {
            std::vector<member_id> both;
            if (v.by == out.by)
                std::set_intersection(out.members.begin(), out.members.end(), v.members.begin(), v.members.end(),
                                      std::back_inserter(both));
            out.members = std::move(both);
        }
    if (!out.has(self_)) out.members.insert(std::lower_bound(out.members.begin(), out.members.end(), self_), self_);
    return {{std::move(out)}, origin::joined};
}

} // namespace kubecoro::detail
