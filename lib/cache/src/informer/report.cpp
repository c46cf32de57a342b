// Reports of the reflectors to the log, the user's callback and the waits for the sync.

#include "informer/informer_engine.hpp"

#include <algorithm>
#include <utility>

namespace kubecoro::detail {
namespace {

/// Failures that retries do not solve: waits for the sync should end with them.
bool blocks_sync(cond c) noexcept
{
    switch (c) {
    case cond::forbidden:
    case cond::not_found:
    case cond::unauthorized:
    case cond::invalid:
    case cond::misconfigured:
        return true;
    default:
        return false;
    }
}

} // namespace

void informer_engine::report(std::size_t scope, const reflector_core::incident& what)
{
    informer_lane* at = lane(scope);
    if (!at) return; // the lane was removed
    informer_lane& l = *at;
    const bool news = l.state != informer_state::parked && l.told.is_news(what.what, what.why, settings_.time->now());
    const auto level = !news ? log_level::debug : what.detour ? log_level::info : log_level::warning;
    settings_.log.write(
        level, what.what,
        {{"informer", settings_.label}, {"source", l.source->describe()}, {"failure", what.why.describe()}});
    if (what.detour || (what.skipped && !what.outdated)) return;
    const auto why = what.why.because(std::string(what.what) + ": " + l.source->describe());
    if (settings_.options.on_failure) {
        try {
            settings_.options.on_failure(why);
        } catch (...) { // documented: exceptions are ignored
        }
    }
    if (what.skipped) return;
    set_blocked(l, blocks_sync(why.condition()) ? std::optional(why) : std::nullopt);
}

void informer_engine::set_blocked(informer_lane& l, std::optional<failure> why)
{
    const bool was = l.blocked.has_value();
    l.blocked = std::move(why);
    if (!was && !l.blocked) return;
    if (l.blocked) {
        l.gate.fail(*l.blocked);
        if (!l.gate.is_open()) waiters_.fail(l.ns, *l.blocked);
    } else {
        l.gate.retry();
    }
    tell_blocked();
}

void informer_engine::tell_blocked()
{
    if (filled_) return;
    const auto blocked =
        std::find_if(lanes_.begin(), lanes_.end(), [](const auto& x) { return x.second->blocked.has_value(); });
    const auto tell = [&](const sync_gate& gate) {
        if (blocked != lanes_.end())
            gate.fail(*blocked->second->blocked);
        else
            gate.retry();
    };
    tell(gate_);
    for (const auto& listener : registry_.all()) tell(listener->gate());
}

void informer_engine::tell_change(const informer_lane& l, const reflector_core& core) const
{
    const bool was_parked = l.state == informer_state::parked;
    const bool is_parked = core.state() == informer_state::parked;
    if (is_parked && !was_parked)
        settings_.log.warning("the server no longer serves the resource: parked",
                              {{"informer", settings_.label}, {"source", l.source->describe()}});
    if (was_parked && !is_parked && core.state() != informer_state::stopped)
        settings_.log.info("the resource is back", {{"informer", settings_.label}, {"source", l.source->describe()}});
    const auto& now = core.stats();
    if (now.idle_ends != l.stats.idle_ends) tell_silence(l, "idle_timeout");
    if (now.overdue_ends != l.stats.overdue_ends) tell_silence(l, "overdue");
    if (is_parked || now.lists_total() == l.stats.lists_total()) return;
    for (std::size_t i = 0; i < relist_reasons; ++i)
        if (now.relists[i] != l.stats.relists[i])
            settings_.log.info("listing again", {{"informer", settings_.label},
                                                 {"source", l.source->describe()},
                                                 {"reason", to_string(static_cast<relist_reason>(i))}});
}

void informer_engine::tell_silence(const informer_lane& l, std::string_view limit) const
{
    settings_.log.info("a silent watch was ended, and is resumed",
                       {{"informer", settings_.label}, {"source", l.source->describe()}, {"limit", limit}});
}

void informer_engine::tell_end()
{
    const auto s = stats();
    if (meter_) meter_->publish(s);
    settings_.log.info("stopped", {{"informer", settings_.label},
                                   {"objects", s.objects},
                                   {"lists", s.reflector.lists},
                                   {"watches", s.reflector.watches}});
}

void informer_engine::progress(std::size_t scope, const reflector_core& core)
{
    informer_lane* l = lane(scope);
    if (!l) return;
    tell_change(*l, core);
    std::lock_guard lock(mutex_);
    l->state = core.state();
    l->stats = core.stats();
}

} // namespace kubecoro::detail
