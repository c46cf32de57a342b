#include "manager/manager_core.hpp"

#include <kubecoro/base/clock.hpp>

#include <algorithm>
#include <utility>

namespace kubecoro {

std::string_view to_string(manager_phase p) noexcept
{
    switch (p) {
    case manager_phase::created:
        return "created";
    case manager_phase::syncing:
        return "syncing";
    case manager_phase::standby:
        return "standby";
    case manager_phase::running:
        return "running";
    case manager_phase::stopping:
        return "stopping";
    case manager_phase::stopped:
        return "stopped";
    }
    return "unknown";
}

std::string_view to_string(part_state s) noexcept
{
    switch (s) {
    case part_state::waiting:
        return "waiting";
    case part_state::running:
        return "running";
    case part_state::resting:
        return "resting";
    case part_state::over:
        return "over";
    }
    return "unknown";
}

namespace detail {
namespace step_of = manager_step;

part_id manager_core::add(part_settings s)
{
    const auto id = next_id_++;
    const auto policy = s.retry.value_or(backoff_policy{});
    const auto seed = s.seed;
    parts_.emplace(id, part{.set = std::move(s), .delays = backoff(policy, seed)});
    if (closing()) parts_.at(id).state = part_state::over;
    return id;
}

bool manager_core::remove(part_id id)
{
    const auto at = parts_.find(id);
    if (at == parts_.end()) return false;
    if (at->second.state != part_state::running) {
        parts_.erase(at);
        return false;
    }
    at->second.wanted = false;
    return true;
}

std::optional<time_point> manager_core::part_ended(part_id id, const result<>& outcome, time_point now)
{
    const auto at = parts_.find(id);
    if (at == parts_.end()) return std::nullopt;
    part& p = at->second;
    p.state = part_state::over;
    const bool failed = !outcome && !(p.asked && outcome.error() == cond::cancelled);
    if (failed) p.trouble = outcome.error();
    if (!p.wanted || (!failed && !closing())) { // what has ended well is forgotten: others may come and go for ever
        parts_.erase(at);
        return std::nullopt;
    }
    if (!failed) return std::nullopt;
    if (p.asked || closing()) {
        if (outcome_ && !p.set.apart) outcome_ = outcome.error().because(p.set.name + " did not end well");
        return std::nullopt;
    }
    if (!p.set.retry) {
        fail(outcome.error().because(p.set.name + " failed"), now);
        return std::nullopt;
    }
    // One that tries for long, and fails, has not recovered.
    if (now - p.at > p.set.retry->cap && (p.worked || !p.set.apart)) p.delays.reset();
    p.state = part_state::resting;
    p.at = time_after(now, p.delays.next());
    return p.at;
}

void manager_core::has_worked(part_id id)
{
    if (const auto at = parts_.find(id); at != parts_.end()) at->second.worked = true;
}

void manager_core::start(time_point now)
{
    if (phase_ != manager_phase::created) return;
    phase_ = manager_phase::syncing;
    if (settings_.sync_timeout != duration::zero()) sync_until_ = time_after(now, settings_.sync_timeout);
    if (settings_.progress != duration::zero()) next_report_ = time_after(now, settings_.progress);
}

void manager_core::stop(time_point now)
{
    if (!closing()) close(now);
}

void manager_core::close(time_point now)
{
    phase_ = manager_phase::stopping;
    stop_until_ = time_after(now, settings_.grace);
}

void manager_core::fail(const failure& why, time_point now)
{
    if (outcome_) outcome_ = why;
    stop(now);
}

void manager_core::leadership_over(const result<>& outcome, time_point now)
{
    leadership_over_ = true;
    if (closing()) return;
    fail(outcome ? failure(cond::internal, "the election has ended by itself") : outcome.error(), now);
}

void manager_core::leadership_lost(const failure& why, time_point now)
{
    lost_ = true;
    fail(why, now);
}

manager_stats manager_core::stats() const
{
    manager_stats s;
    s.phase = phase_;
    if (!outcome_) s.ended_by = outcome_.error();
    for (const auto& [id, p] : parts_)
        s.parts.push_back({.name = p.set.name, .state = p.state, .restarts = p.restarts, .last_failure = p.trouble});
    return s;
}

step_of::any manager_core::next(time_point now)
{
    for (;;) {
        const auto before = phase_;
        step taken;
        switch (phase_) {
        case manager_phase::created:
            return step_of::wait{};
        case manager_phase::syncing:
            taken = while_syncing(now);
            break;
        case manager_phase::standby:
            taken = while_standby(now);
            break;
        case manager_phase::running:
            taken = next_of_parts(part_stage::leading, now);
            if (!taken && !std::exchange(announced_, true)) taken = step_of::announce_ready{};
            break;
        case manager_phase::stopping:
            taken = while_stopping(now);
            break;
        case manager_phase::stopped:
            return step_of::finish{outcome_};
        }
        if (taken) return *taken;
        if (phase_ == before) return rest();
    }
}

step_of::any manager_core::rest(std::optional<time_point> until) const
{
    for (const auto& [id, p] : parts_)
        if (p.state == part_state::resting && !closing()) until = std::min(until.value_or(p.at), p.at);
    return step_of::wait{until};
}

step_of::any manager_core::begin_part(part_id id, part& p, time_point now)
{
    if (p.state == part_state::resting) ++p.restarts;
    p.state = part_state::running;
    p.at = now;
    p.asked = p.cancelled = p.worked = false;
    return step_of::start_part{id};
}

manager_core::step manager_core::next_of_parts(part_stage upto, time_point now)
{
    for (auto& [id, p] : parts_) {
        if (!p.wanted) {
            if (!std::exchange(p.asked, true)) return step_of::stop_part{id};
            continue;
        }
        if (p.set.stage > upto) continue;
        const bool due = p.state == part_state::waiting || (p.state == part_state::resting && p.at <= now);
        if (due) return begin_part(id, p, now);
    }
    return {};
}

manager_core::step manager_core::while_syncing(time_point now)
{
    if (auto s = next_of_parts(part_stage::first, now)) return s;
    if (!std::exchange(informers_begun_, true)) return step_of::start_informers{};
    if (synced_) {
        phase_ = manager_phase::standby;
        return {};
    }
    if (sync_until_ && *sync_until_ <= now) {
        sync_until_.reset();
        return step_of::give_up_sync{};
    }
    if (next_report_ && *next_report_ <= now) {
        next_report_ = time_after(now, settings_.progress);
        return step_of::report_waiting{};
    }
    auto until = sync_until_;
    if (next_report_) until = std::min(until.value_or(*next_report_), *next_report_);
    return rest(until);
}

manager_core::step manager_core::while_standby(time_point now)
{
    if (auto s = next_of_parts(part_stage::synced, now)) return s;
    if (!settings_.elects) {
        phase_ = manager_phase::running;
        return {};
    }
    if (!std::exchange(seeks_, true)) return step_of::seek_leadership{};
    if (!std::exchange(announced_, true)) return step_of::announce_ready{};
    if (leads_) phase_ = manager_phase::running;
    return {};
}

manager_core::step manager_core::end_stage(part_stage stage, time_point now)
{
    bool runs = false;
    for (auto& [id, p] : parts_) {
        if (p.set.stage != stage) continue;
        if (p.state != part_state::running) {
            p.state = part_state::over;
            continue;
        }
        runs = true;
        if (!std::exchange(p.asked, true)) return step_of::stop_part{id};
        const bool at_once = settings_.grace == duration::zero() || (lost_ && stage == part_stage::leading);
        if (p.cancelled || (now < stop_until_ && !at_once)) continue;
        p.cancelled = true;
        if (!at_once) cancelled_ += (cancelled_.empty() ? "" : ", ") + p.set.name;
        return step_of::cancel_part{id, !at_once};
    }
    if (!runs) return {};
    return rest(now < stop_until_ ? std::optional(stop_until_) : std::nullopt);
}

manager_core::step manager_core::while_stopping(time_point now)
{
    if (auto s = end_stage(part_stage::leading, now)) return s;
    if (seeks_ && !leadership_over_) {
        if (!std::exchange(gives_up_, true)) return step_of::give_up_leadership{};
        return rest();
    }
    if (auto s = end_stage(part_stage::synced, now)) return s;
    if (!std::exchange(informers_stopping_, true)) return step_of::stop_informers{};
    if (!informers_over_) return rest();
    if (auto s = end_stage(part_stage::first, now)) return s;
    if (outcome_ && !cancelled_.empty())
        outcome_ = failure(cond::timed_out, "did not end within the grace period: " + cancelled_);
    phase_ = manager_phase::stopped;
    return {};
}

} // namespace detail
} // namespace kubecoro
