#include "live/plans.hpp"
#include "live/workbench.hpp"
#include "objects/conditions.hpp"
#include "text/json_text.hpp"

#include <algorithm>

namespace kubecoro::apiserver::live {
namespace {

job_state state_of(const json::value& job, const std::vector<const pod_digest*>& pods)
{
    job_state s;
    s.parallelism = int_at(job, "spec.parallelism", 1);
    s.completions.reset();
    if (const auto* n = find_at(job, "spec.completions"); n && n->is_int64()) s.completions = n->get_int64();
    s.backoff_limit = int_at(job, "spec.backoffLimit", 6);
    const auto* suspend = find_at(job, "spec.suspend");
    s.suspended = suspend && suspend->is_bool() && suspend->get_bool();
    for (const auto* p : pods) {
        s.active += p->active() ? 1 : 0;
        s.succeeded += p->in == phase::succeeded ? 1 : 0;
        s.failed += p->in == phase::failed ? 1 : 0;
    }
    return s;
}

void set_outcome(json::object& status, job_outcome outcome, wall_time now)
{
    if (outcome == job_outcome::complete) {
        for (const std::string_view type : {"SuccessCriteriaMet", "Complete"})
            set_condition(status, {type, true, "CompletionsReached", "Reached expected number of succeeded pods"}, now);
        status["completionTime"] = format_time(now);
    } else if (outcome == job_outcome::failed) {
        for (const std::string_view type : {"FailureTarget", "Failed"})
            set_condition(status, {type, true, "BackoffLimitExceeded", "Job has reached the specified backoff limit"},
                          now);
    }
}

void set_count(json::object& status, std::string_view member, std::int64_t n)
{
    if (n > 0)
        status[member] = n;
    else
        status.erase(member);
}

} // namespace

void run_job(const workbench& w, const json::value& job)
{
    if (find_at(job, "metadata.deletionTimestamp")) return;
    const bool over = has_condition(job, "Complete") || has_condition(job, "Failed");
    const auto* pod_template = find_at(job, "spec.template");
    if (over || !pod_template) return;
    const auto pods = w.pods.of(uid_of(job));
    const auto state = state_of(job, pods);
    const auto plan = plan_job(state);
    w.create_pods(plan.create, job, [&] { return pod_of(job, *pod_template); });
    std::vector<std::string> doomed;
    for (const auto* p : pods)
        if (p->active() && static_cast<std::int64_t>(doomed.size()) < plan.remove) doomed.push_back(p->name);
    w.remove_pods(text_at(job, "metadata.namespace"), doomed);

    const auto* before = object_at(job, "status");
    json::object status = before ? *before : json::object{};
    if (!status.contains("startTime") && !state.suspended) status["startTime"] = format_time(w.now);
    const bool ends = plan.outcome != job_outcome::running;
    set_count(status, "active", ends ? 0 : state.active);
    set_count(status, "succeeded", state.succeeded);
    set_count(status, "failed", state.failed);
    status["ready"] = std::count_if(pods.begin(), pods.end(), [](const auto* p) { return p->active() && p->ready; });
    set_outcome(status, plan.outcome, w.now);
    w.set_status("jobs.batch", job, std::move(status));
}

} // namespace kubecoro::apiserver::live
