#include "controller/controller_core.hpp"

#include <kubecoro/base/clock.hpp>

#include <algorithm>
#include <utility>

namespace kubecoro::detail {

namespace step = controller_step;

controller_core::source_id controller_core::add_source(std::string name)
{
    sources_.emplace(next_id_, source{.name = std::move(name)});
    return next_id_++;
}

void controller_core::source_synced(source_id id)
{
    const auto at = sources_.find(id);
    if (at == sources_.end()) return;
    at->second.synced = true;
    at->second.trouble.reset();
}

void controller_core::source_in_trouble(source_id id, const failure& why)
{
    const auto at = sources_.find(id);
    if (at != sources_.end() && !at->second.synced) at->second.trouble = why;
}

void controller_core::source_removed(source_id id)
{
    const auto at = sources_.find(id);
    if (at != sources_.end()) at->second.wanted = false;
}

void controller_core::source_ended(source_id id)
{
    const auto at = sources_.find(id);
    if (at == sources_.end()) return;
    const source& s = at->second;
    if (phase_ == controller_phase::syncing && s.wanted && !s.synced && !stop_wanted_ && outcome_)
        outcome_ = failure(cond::cancelled, "the informer of source " + s.name + " was stopped before its first list");
    sources_.erase(at);
}

void controller_core::start(time_point now)
{
    if (phase_ != controller_phase::created) return;
    phase_ = controller_phase::syncing;
    if (settings_.sync_timeout != duration::zero()) until_ = time_after(now, settings_.sync_timeout);
}

void controller_core::stop_at_once() noexcept
{
    settings_.grace = duration::zero();
    stop_wanted_ = true;
    if (until_) until_ = time_point::min();
}

void controller_core::refuse(failure why)
{
    if (outcome_ && !closing()) outcome_ = std::move(why);
    if (phase_ == controller_phase::running) stop_wanted_ = true;
}

void controller_core::fail(failure why)
{
    if (!std::exchange(failed_, true)) outcome_ = std::move(why);
    stop_at_once();
}

void controller_core::worker_ended()
{
    --workers_left_;
    if (phase_ != controller_phase::running || stop_wanted_ || !outcome_) return;
    stop_wanted_ = true;
    outcome_ = failure(cond::internal, "a worker ended unexpectedly");
}

void controller_core::runs_cancelled(const std::string& keys)
{
    if (keys.empty() || !outcome_) return;
    outcome_ = failure(cond::timed_out, "runs did not end in time and were cancelled: " + keys);
}

std::optional<failure> controller_core::trouble(source_id id) const
{
    const auto at = sources_.find(id);
    return at == sources_.end() ? std::nullopt : at->second.trouble;
}

bool controller_core::all_synced() const noexcept
{
    return std::all_of(sources_.begin(), sources_.end(),
                       [](const auto& s) { return s.second.synced || !s.second.wanted; });
}

failure controller_core::too_late() const
{
    const failure* first = nullptr;
    std::string text = "no first list from";
    for (const auto& [id, s] : sources_) {
        if (s.synced || !s.wanted) continue;
        text += ' ' + s.name + (s.trouble ? " (" + std::string(to_string(s.trouble->condition())) + ")" : "");
        if (first == nullptr && s.trouble) first = &*s.trouble;
    }
    // The condition is that of the wait, even when the cause is known: the caller of start() sees both.
    if (first == nullptr) return failure(cond::timed_out, std::move(text));
    return failure(cond::timed_out, text + ": " + first->describe());
}

step::any controller_core::next(time_point now)
{
    switch (phase_) {
    case controller_phase::created:
        if (stop_wanted_) return ended();
        break;
    case controller_phase::syncing:
        return while_syncing(now);
    case controller_phase::running:
        if (stop_wanted_) return begin_end();
        break;
    case controller_phase::stopping:
    case controller_phase::cancelling:
        return while_stopping(now);
    case controller_phase::stopped:
        return step::finish{outcome_};
    }
    return step::wait{};
}

step::any controller_core::while_syncing(time_point now)
{
    if (stop_wanted_ || !outcome_) return begin_end();
    if (all_synced()) {
        phase_ = controller_phase::running;
        until_.reset();
        workers_left_ = settings_.workers;
        return step::start_workers{};
    }
    if (until_ && now >= *until_) {
        outcome_ = too_late();
        return begin_end();
    }
    return step::wait{until_};
}

step::any controller_core::begin_end()
{
    phase_ = controller_phase::stopping;
    until_.reset();
    return step::close_sources{};
}

step::any controller_core::while_stopping(time_point now)
{
    if (!sources_.empty()) return step::wait{};
    if (!queue_closed_) {
        queue_closed_ = true;
        until_ = time_after(now, settings_.grace);
        return step::close_queue{};
    }
    if (workers_left_ == 0) return ended();
    if (phase_ == controller_phase::cancelling) return step::wait{};
    if (now < *until_) return step::wait{until_};
    phase_ = controller_phase::cancelling;
    return step::cancel_runs{};
}

step::any controller_core::ended()
{
    phase_ = controller_phase::stopped;
    return step::finish{outcome_};
}

} // namespace kubecoro::detail
