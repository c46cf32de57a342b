#include "access/access_core.hpp"

#include <kubecoro/base/saturating_time.hpp>

#include <algorithm>

namespace kubecoro::detail {
namespace {

/// How long after its verdict a token that was allowed is no stranger.
constexpr duration known_for = std::chrono::minutes{10};
/// Callers that wait for reviews of strangers: each holds a connection while the API server does not answer.
constexpr std::size_t most_waiting = 32;

access_core::limits sound(access_core::limits l)
{
    l.max_verdicts = std::max<std::size_t>(l.max_verdicts, 1);
    l.max_reviews = std::max<std::size_t>(l.max_reviews, 1);
    l.reviews_per_second = std::clamp<std::size_t>(l.reviews_per_second, 1, 1'000'000);
    return l;
}

} // namespace

access_core::access_core(const limits& l) : limits_(sound(l)) {}

std::list<access_digest>& access_core::list_of(const entry& e)
{
    return e.verdict == access_verdict::allowed ? allowed_ : refused_;
}

void access_core::forget(table::iterator at)
{
    list_of(at->second).erase(at->second.place);
    entries_.erase(at);
}

/// Reviews in progress are not forgotten: their number has a bound of its own, and their callers report to them.
void access_core::make_room()
{
    for (auto* from : {&refused_, &allowed_})
        for (auto at = from->rbegin(); at != from->rend(); ++at) {
            const auto found = entries_.find(*at);
            if (found->second.reviewing) continue;
            return forget(found);
        }
}

bool access_core::stranger_may(time_point now)
{
    const duration each = std::chrono::duration_cast<duration>(std::chrono::seconds{1}) / limits_.reviews_per_second;
    const auto from = std::max(spent_, time_after(now, -std::chrono::seconds{1}));
    if (strangers_ >= limits_.max_reviews || from + each > now) return false;
    spent_ = from + each;
    ++strangers_;
    return true;
}

access_core::table::iterator access_core::add(const access_digest& of)
{
    if (entries_.size() >= limits_.max_verdicts) make_room();
    refused_.push_front(of);
    try {
        return entries_.emplace(of, entry{.place = refused_.begin()}).first;
    } catch (...) {
        refused_.pop_front();
        throw;
    }
}

access_core::step access_core::on_request(const access_digest& of, time_point now)
{
    auto at = entries_.find(of);
    if (at != entries_.end()) {
        entry& e = at->second;
        list_of(e).splice(list_of(e).begin(), list_of(e), e.place);
        if (e.verdict && now < e.expires) {
            if (e.verdict == access_verdict::allowed) return step::allowed;
            return e.verdict == access_verdict::forbidden ? step::forbidden : step::unauthenticated;
        }
        if (e.reviewing) {
            if (e.counted && waiting_ >= most_waiting) return step::busy;
            ++waiting_;
            return step::wait;
        }
    }
    const bool known = at != entries_.end() && at->second.verdict == access_verdict::allowed &&
                       now < time_after(at->second.expires, known_for);
    if (!known && !stranger_may(now)) return step::busy;
    if (at == entries_.end()) {
        try {
            at = add(of);
        } catch (...) { // no memory
            if (!known) --strangers_;
            throw;
        }
    }
    at->second.reviewing = true;
    at->second.counted = !known;
    return step::review;
}

void access_core::on_reviewed(const access_digest& of, access_verdict verdict, time_point now)
{
    const auto at = entries_.find(of);
    entry& e = at->second;
    if (e.counted) --strangers_;
    e.reviewing = e.counted = false;
    auto& before = list_of(e);
    e.verdict = verdict;
    list_of(e).splice(list_of(e).begin(), before, e.place);
    const bool allowed = verdict == access_verdict::allowed;
    e.expires = time_after(now, allowed ? limits_.keep_allowed : limits_.keep_refused);
}

void access_core::on_failed(const access_digest& of)
{
    const auto at = entries_.find(of);
    if (at->second.counted) --strangers_;
    at->second.reviewing = at->second.counted = false;
    if (!at->second.verdict) forget(at);
}

} // namespace kubecoro::detail
