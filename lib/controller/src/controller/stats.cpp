#include "controller/controller_engine.hpp"

#include <algorithm>
#include <utility>

namespace kubecoro {
using namespace detail;
namespace {

std::string describe(const controller_stats::source& s)
{
    std::string text = "\n  source " + s.name;
    if (s.state == source_state::syncing) text += ", waiting for its first list";
    if (s.state == source_state::over) text += ", ended";
    text += ", events " + std::to_string(s.events);
    if (s.failed != 0) text += ", failed " + std::to_string(s.failed);
    if (s.trouble) text += ": " + s.trouble->describe();
    return text;
}

} // namespace

std::string_view to_string(controller_phase p) noexcept
{
    switch (p) {
    case controller_phase::created:
        return "created";
    case controller_phase::syncing:
        return "syncing";
    case controller_phase::running:
        return "running";
    case controller_phase::stopping:
        return "stopping";
    case controller_phase::cancelling:
        return "cancelling";
    case controller_phase::stopped:
        return "stopped";
    }
    return "unknown";
}

controller_stats::source controller_engine::stats(const controller_source& source) const
{
    controller_stats::source s;
    s.name = source.options.name;
    s.events = source.taken;
    s.failed = source.failed;
    if (source.synced) s.state = source_state::synced;
    if (source.leaving.settled() || source.over.settled()) s.state = source_state::over;
    std::lock_guard lock(mutex_);
    s.trouble = core_.trouble(source.id);
    return s;
}

controller_stats controller_engine::stats() const
{
    controller_stats s;
    std::vector<std::shared_ptr<controller_source>> all;
    {
        std::lock_guard lock(mutex_);
        s.phase = core_.phase();
        if (!core_.outcome()) s.ended_by = core_.outcome().error();
        all = sources_;
    }
    s.workers = options_.workers;
    ledger_.fill(s);
    s.behind_own_writes = own_writes_.held();
    for (const auto& source : all) s.sources.push_back(stats(*source));
    s.queue = queue_.stats();
    return s;
}

std::vector<std::string> controller_engine::tasks() const
{
    std::vector<std::string> out;
    for (const auto* group : {&supervising_, &following_, &working_})
        for (auto& name : group->names()) out.push_back(std::move(name));
    return out;
}

std::string describe(const controller_stats& s)
{
    std::string text = std::string(to_string(s.phase)) + ", active " + std::to_string(s.active) + " of " +
                       std::to_string(s.workers) + ", succeeded " + std::to_string(s.succeeded) + ", failed " +
                       std::to_string(s.failed) + ", terminal " + std::to_string(s.terminal);
    if (s.threw != 0) text += ", threw " + std::to_string(s.threw);
    if (s.timed_out != 0) text += ", past the deadline " + std::to_string(s.timed_out);
    if (s.behind_own_writes != 0) text += ", waiting for own writes " + std::to_string(s.behind_own_writes);
    if (s.ended_by) text += ", ended by: " + s.ended_by->describe();
    for (const auto& source : s.sources) text += describe(source);
    return text + "\n  " + describe(s.queue);
}

} // namespace kubecoro
