#include "live/plans.hpp"

#include "text/json_text.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <tuple>

namespace kubecoro::apiserver::live {

set_plan plan_set(std::int64_t wanted, const std::vector<const pod_digest*>& pods)
{
    std::vector<const pod_digest*> active;
    for (const auto* p : pods)
        if (p->active()) active.push_back(p);
    const auto have = static_cast<std::int64_t>(active.size());
    if (have <= wanted) return {wanted - have, {}};
    // Without a node first, then those that are not ready, then the newest.
    const auto worth = [](const pod_digest* p) { return std::tuple(!p->node.empty(), p->in, p->ready); };
    std::sort(active.begin(), active.end(), [&](const auto* a, const auto* b) {
        if (worth(a) != worth(b)) return worth(a) < worth(b);
        if (a->created != b->created) return a->created > b->created;
        return a->name > b->name;
    });
    set_plan plan;
    for (std::int64_t i = 0; i < have - wanted; ++i) plan.remove.push_back(active[static_cast<std::size_t>(i)]->name);
    return plan;
}

namespace {

std::int64_t sum(const std::vector<std::int64_t>& numbers)
{
    return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0});
}

rollout_plan plan_recreation(const rollout& r)
{
    rollout_plan plan{r.current.replicas, std::vector<std::int64_t>(r.old.size(), 0)};
    const bool gone = std::all_of(r.old.begin(), r.old.end(), [](const auto& s) { return s.pods == 0; });
    if (gone) plan.current = r.wanted;
    return plan;
}

std::int64_t grown(const rollout& r, std::int64_t old_replicas)
{
    if (r.current.replicas >= r.wanted) return r.wanted;
    const auto room = r.wanted + r.max_surge - r.current.replicas - old_replicas;
    return r.current.replicas + std::clamp<std::int64_t>(room, 0, r.wanted - r.current.replicas);
}

} // namespace

rollout_plan plan_rollout(const rollout& r)
{
    if (r.recreate) return plan_recreation(r);
    rollout_plan plan;
    for (const auto& s : r.old) plan.old.push_back(s.replicas);
    plan.current = grown(r, sum(plan.old));
    if (plan.current != r.current.replicas) return plan; // one step at a time

    const auto least = r.wanted - r.max_unavailable;
    const auto lacking = r.current.replicas - std::min(r.current.replicas, r.current.available);
    auto spare = r.current.replicas + sum(plan.old) - least - lacking;
    // Old pods that do not work are no loss.
    for (std::size_t i = 0; i < r.old.size() && spare > 0; ++i) {
        const auto broken = r.old[i].replicas - std::min(r.old[i].replicas, r.old[i].available);
        const auto dropped = std::min(spare, broken);
        plan.old[i] -= dropped;
        spare -= dropped;
    }
    std::int64_t available = r.current.available;
    for (const auto& s : r.old) available += std::min(s.replicas, s.available);
    spare = std::min(spare, available - least);
    for (auto& replicas : plan.old) {
        if (spare <= 0) break;
        const auto dropped = std::min(spare, replicas);
        replicas -= dropped;
        spare -= dropped;
    }
    return plan;
}

std::int64_t resolve_share(const json::value* v, std::int64_t whole, bool round_up)
{
    if (!v) return 0;
    if (v->is_int64()) return std::max<std::int64_t>(v->get_int64(), 0);
    if (!v->is_string()) return 0;
    const std::string_view text = v->get_string();
    std::int64_t percent = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), percent);
    if (ec != std::errc{} || end == text.data() + text.size() || *end != '%' || percent < 0) return 0;
    percent = std::min<std::int64_t>(percent, 100);
    return (whole * percent + (round_up ? 99 : 0)) / 100;
}

job_plan plan_job(const job_state& s)
{
    job_plan plan;
    if (s.failed > s.backoff_limit) return {job_outcome::failed, 0, s.active};
    const bool done = s.completions ? s.succeeded >= *s.completions : s.succeeded > 0 && s.active == 0;
    if (done) return {job_outcome::complete, 0, s.active};
    if (s.suspended) return {job_outcome::running, 0, s.active};
    auto wanted = s.parallelism;
    if (s.completions) wanted = std::min(wanted, *s.completions - s.succeeded);
    if (!s.completions && s.succeeded > 0) wanted = std::min(wanted, s.active); // no new ones after a success
    if (s.active < wanted) plan.create = wanted - s.active;
    if (s.active > wanted) plan.remove = s.active - wanted;
    return plan;
}

} // namespace kubecoro::apiserver::live
