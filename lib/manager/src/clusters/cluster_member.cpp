#include "clusters/cluster_member.hpp"

namespace kubecoro {
namespace {

/// Adds the state of the informers and queues.
void look_into(manager& m, cluster_stats& out)
{
    for (const auto& informer : m.informers().informers()) {
        const auto now = informer.stats();
        out.objects += now.objects;
        const bool stuck = now.state == informer_state::waiting || now.state == informer_state::parked;
        const bool troubled = stuck || (!now.synced && now.state == informer_state::listing);
        if (troubled && !out.trouble) out.trouble = now.reflector.last_failure;
    }
    for (const auto& c : m.controllers()) out.queued += c.queue.ready;
}

} // namespace

cluster_stats detail::cluster_member::stats() const
{
    cluster_stats out{.name = name};
    {
        std::lock_guard lock(mutex_);
        out.state = state_;
        out.attempts = attempts_;
        out.last_failure = last_failure_;
    }
    if (const auto m = working()) look_into(*m, out);
    return out;
}

std::string_view to_string(cluster_state s) noexcept
{
    switch (s) {
    case cluster_state::waiting:
        return "waiting";
    case cluster_state::joining:
        return "joining";
    case cluster_state::ready:
        return "ready";
    case cluster_state::resting:
        return "resting";
    case cluster_state::leaving:
        return "leaving";
    }
    return "unknown";
}

std::string describe(const cluster_stats& s)
{
    auto text = s.name + ": " + std::string(to_string(s.state));
    if (s.attempts > 1) text += ", attempt " + std::to_string(s.attempts);
    text += ", " + std::to_string(s.objects) + " objects, " + std::to_string(s.queued) + " keys queued";
    if (s.trouble) text += ", trouble: " + s.trouble->describe();
    if (s.last_failure) text += ", last failure: " + s.last_failure->describe();
    return text;
}

} // namespace kubecoro
