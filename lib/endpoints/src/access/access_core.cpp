#include "access/access_core.hpp"

#include <kubecoro/base/clock.hpp>

#include <algorithm>

namespace kubecoro::detail {
namespace {

/// How long after its verdict a token that was allowed is no stranger.
constexpr duration known_for = std::chrono::minutes{10};
/// Callers of one address that wait for a turn, and as many for another caller: each holds a connection.
constexpr std::size_t most_waiting = 32;
/// Addresses that wait for a turn.
constexpr std::size_t most_addresses = 1024;

access_core::limits sound(access_core::limits l)
{
    l.max_verdicts = std::max<std::size_t>(l.max_verdicts, 1);
    l.max_reviews = std::max<std::size_t>(l.max_reviews, 1);
    l.reviews_per_second = std::clamp<std::size_t>(l.reviews_per_second, 1, 1'000'000);
    return l;
}

} // namespace

access_core::access_core(const limits& l)
    : limits_(sound(l)),
      turns_({.units = limits_.max_reviews, .addresses = most_addresses, .waiters = most_waiting},
             limits_.reviews_per_second, limits_.reviews_per_second)
{
}

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

access_core::table::iterator access_core::add(const access_digest& of)
{
    if (entries_.size() >= limits_.max_verdicts) make_room();
    refused_.push_front(of);
    return entries_.emplace(of, entry{.place = refused_.begin()}).first;
}

access_core::step access_core::on_request(const access_digest& of, const client_id& client, turn_waiter& who,
                                          time_point now)
{
    const auto at = entries_.find(of);
    if (at != entries_.end()) {
        entry& e = at->second;
        list_of(e).splice(list_of(e).begin(), list_of(e), e.place);
        if (e.verdict && now < e.expires) {
            if (e.verdict == access_verdict::allowed) return step::allowed;
            return e.verdict == access_verdict::forbidden ? step::forbidden : step::unauthenticated;
        }
    }
    if ((at != entries_.end() && at->second.reviewing) || queued_.contains(of)) {
        auto& waiting = waiting_[client];
        if (waiting >= most_waiting) return step::busy;
        ++waiting;
        return step::wait;
    }
    if (at != entries_.end() && at->second.verdict == access_verdict::allowed &&
        now < time_after(at->second.expires, known_for)) {
        begin(of, std::nullopt);
        return step::review;
    }
    switch (turns_.ask(client, who, now)) {
    case client_turns::step::granted:
        begin(of, client);
        return step::review;
    case client_turns::step::waits:
        queued_.insert(of);
        return step::turn;
    default:
        return step::busy;
    }
}

void access_core::begin(const access_digest& of, std::optional<client_id> turn_of)
{
    auto at = entries_.find(of);
    if (at == entries_.end()) at = add(of);
    at->second.reviewing = true;
    at->second.turn_of = turn_of;
}

void access_core::on_turn(const access_digest& of, const client_id& client)
{
    queued_.erase(of);
    begin(of, client);
}

void access_core::on_left(const access_digest& of, const client_id& client, const turn_waiter& who,
                          bool had_turn) noexcept
{
    queued_.erase(of);
    if (had_turn)
        turns_.give_back(client);
    else
        turns_.leave(client, who);
}

void access_core::end_turn(entry& e) noexcept
{
    if (e.turn_of) turns_.give_back(*e.turn_of);
    e.turn_of.reset();
    e.reviewing = false;
}

void access_core::on_reviewed(const access_digest& of, access_verdict verdict, time_point now)
{
    entry& e = entries_.find(of)->second;
    end_turn(e);
    auto& before = list_of(e);
    e.verdict = verdict;
    list_of(e).splice(list_of(e).begin(), before, e.place);
    const bool allowed = verdict == access_verdict::allowed;
    e.expires = time_after(now, allowed ? limits_.keep_allowed : limits_.keep_refused);
}

void access_core::on_failed(const access_digest& of)
{
    const auto at = entries_.find(of);
    end_turn(at->second);
    if (!at->second.verdict) forget(at);
}

void access_core::on_waited(const client_id& client) noexcept
{
    const auto at = waiting_.find(client);
    if (--at->second == 0) waiting_.erase(at);
}

} // namespace kubecoro::detail
