// Jobs and CronJobs.
#include "typed_family.hpp"
#include "writers.hpp"

#include <kubecoro/batch_v1/cron_job.hpp>
#include <kubecoro/batch_v1/job.hpp>

#include <array>

namespace kubecoro::cluster_metrics {
namespace {

using batch_v1::cron_job;
using batch_v1::job;
using job_conditions = list_view<view<batch_v1::job_condition>>;

constexpr std::array<std::string_view, 3> known_reasons{"BackoffLimitExceeded", "DeadlineExceeded", "Evicted"};

/// The failed pods, by the reason why the job has failed.
void failed_pods(view<batch_v1::job_status> status, series_sink& out)
{
    const double failed = status.failed();
    if (failed == 0) return out.add(0);
    bool known = false;
    for (const auto c : status.conditions()) {
        if (c.type() != "Failed") continue;
        for (const auto reason : known_reasons) {
            const bool is_it = c.reason() == reason;
            known = known || is_it;
            out.add({{"reason", reason}}, is_it ? 1 : 0);
        }
    }
    if (!known) out.add({{"reason", ""}}, failed);
}

void condition(job_conditions all, std::string_view type, series_sink& out)
{
    for (const auto c : all)
        if (c.type() == type) statuses_of(c.status(), "condition", out);
}

void suspended(job_conditions all, series_sink& out)
{
    for (const auto c : all)
        if (c.type() == "Suspended") out.add(c.status() == "True" ? 1 : 0);
}

void cron_info(view<batch_v1::cron_job_spec> spec, series_sink& out)
{
    out.add({{"schedule", spec.schedule()},
             {"concurrency_policy", spec.concurrencyPolicy()},
             {"timezone", spec.timeZone().value_or("local")}},
            1);
}

constexpr std::array job_families{
    family{"kube_job_labels", "[STABLE] Kubernetes labels converted to Prometheus labels.", shown_labels},
    family{"kube_job_info", "[STABLE] Information about job.", one},
    value_of<metadata_of<job>, [](auto part) { return part.creationTimestamp(); }>("kube_job_created",
                                                                                   "[STABLE] Unix creation timestamp"),
    value_of<spec_of<job>, [](auto part) { return part.parallelism(); }>(
        "kube_job_spec_parallelism",
        "[STABLE] The maximum desired number of pods the job should run at any given time."),
    value_of<spec_of<job>, [](auto part) { return part.completions(); }>(
        "kube_job_spec_completions",
        "[STABLE] The desired number of successfully finished pods the job should be run with."),
    value_of<spec_of<job>, [](auto part) { return part.activeDeadlineSeconds(); }>(
        "kube_job_spec_active_deadline_seconds",
        "[STABLE] The duration in seconds relative to the startTime that the job may be active before the system "
        "tries to terminate it."),
    value_of<status_of<job>, [](auto part) { return part.succeeded(); }>(
        "kube_job_status_succeeded", "[STABLE] The number of pods which reached Phase Succeeded."),
    series_of<status_of<job>, failed_pods>(
        "kube_job_status_failed", "[STABLE] The number of pods which reached Phase Failed and the reason for failure."),
    value_of<status_of<job>, [](auto part) { return part.active(); }>("kube_job_status_active",
                                                                      "[STABLE] The number of actively running pods."),
    series_of<conditions_of<job>, [](auto all, series_sink& out) { condition(all, "Complete", out); }>(
        "kube_job_complete", "[STABLE] The job has completed its execution."),
    series_of<conditions_of<job>, [](auto all, series_sink& out) { condition(all, "Failed", out); }>(
        "kube_job_failed", "[STABLE] The job has failed its execution."),
    value_of<status_of<job>, [](auto part) { return part.startTime(); }>(
        "kube_job_status_start_time",
        "[STABLE] StartTime represents time when the job was acknowledged by the Job Manager."),
    value_of<status_of<job>, [](auto part) { return part.completionTime(); }>(
        "kube_job_status_completion_time", "[STABLE] CompletionTime represents time when the job was completed."),
    series_of<conditions_of<job>, suspended>("kube_job_status_suspended",
                                             "The number of pods which reached Phase Suspended."),
    family{"kube_job_owner", "[STABLE] Information about the Job's owner.", owners},
};

constexpr std::array cron_job_families{
    family{"kube_cronjob_labels", "[STABLE] Kubernetes labels converted to Prometheus labels.", shown_labels},
    series_of<spec_of<cron_job>, cron_info>("kube_cronjob_info", "[STABLE] Info about cronjob."),
    value_of<metadata_of<cron_job>, [](auto part) { return part.creationTimestamp(); }>(
        "kube_cronjob_created", "[STABLE] Unix creation timestamp"),
    value_of<status_of<cron_job>, [](auto part) { return part.active().size(); }>(
        "kube_cronjob_status_active", "[STABLE] Active holds pointers to currently running jobs."),
    value_of<status_of<cron_job>, [](auto part) { return part.lastScheduleTime(); }>(
        "kube_cronjob_status_last_schedule_time",
        "[STABLE] LastScheduleTime keeps information of when was the last time the job was successfully scheduled."),
    value_of<status_of<cron_job>, [](auto part) { return part.lastSuccessfulTime(); }>(
        "kube_cronjob_status_last_successful_time",
        "LastSuccessfulTime keeps information of when was the last time the job was completed successfully."),
    value_of<spec_of<cron_job>, [](auto part) { return part.suspend(); }>(
        "kube_cronjob_spec_suspend", "[STABLE] Suspend flag tells the controller to suspend subsequent executions."),
    value_of<spec_of<cron_job>, [](auto part) { return part.startingDeadlineSeconds(); }>(
        "kube_cronjob_spec_starting_deadline_seconds",
        "[STABLE] Deadline in seconds for starting the job if it misses scheduled time for any reason."),
    family{"kube_cronjob_metadata_resource_version",
           "[STABLE] Resource version representing a specific version of the cronjob.", version},
    value_of<spec_of<cron_job>, [](auto part) { return part.successfulJobsHistoryLimit(); }>(
        "kube_cronjob_spec_successful_job_history_limit",
        "Successful job history limit tells the controller how many completed jobs should be preserved."),
    value_of<spec_of<cron_job>, [](auto part) { return part.failedJobsHistoryLimit(); }>(
        "kube_cronjob_spec_failed_job_history_limit",
        "Failed job history limit tells the controller how many failed jobs should be preserved."),
};

} // namespace

series_kind jobs()
{
    series_kind out{{"batch", "v1", "jobs", "Job"}, {.name = "job_name"}, job_families};
    out.keep = {"metadata.creationTimestamp", "metadata.ownerReferences",
                "spec.parallelism",           "spec.completions",
                "spec.activeDeadlineSeconds", "status.active",
                "status.succeeded",           "status.failed",
                "status.startTime",           "status.completionTime",
                "status.conditions.*.type",   "status.conditions.*.status",
                "status.conditions.*.reason"};
    return out;
}

series_kind cron_jobs()
{
    series_kind out{{"batch", "v1", "cronjobs", "CronJob"}, {.name = "cronjob"}, cron_job_families};
    out.keep = {"metadata.creationTimestamp",
                "spec.schedule",
                "spec.concurrencyPolicy",
                "spec.timeZone",
                "spec.suspend",
                "spec.startingDeadlineSeconds",
                "spec.successfulJobsHistoryLimit",
                "spec.failedJobsHistoryLimit",
                "status.active.*.name",
                "status.lastScheduleTime",
                "status.lastSuccessfulTime"};
    return out;
}

} // namespace kubecoro::cluster_metrics
