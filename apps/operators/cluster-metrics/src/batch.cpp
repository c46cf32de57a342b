// Jobs and CronJobs.
#include "writers.hpp"

#include <array>

namespace kubecoro::cluster_metrics {
namespace {

constexpr std::string_view created = "metadata.creationTimestamp";
constexpr std::array<std::string_view, 3> known_reasons{"BackoffLimitExceeded", "DeadlineExceeded", "Evicted"};

/// The failed pods, by the reason why the job has failed.
void failed_pods(const subject& s, series_sink& out)
{
    const double failed = s.field.as_double();
    if (failed == 0) return out.add(0);
    bool known = false;
    for (const auto c : s.o["status"]["conditions"].items()) {
        if (c["type"].as_string() != "Failed") continue;
        for (const auto reason : known_reasons) {
            const bool is_it = c["reason"].as_string() == reason;
            known = known || is_it;
            out.add({{"reason", reason}}, is_it ? 1 : 0);
        }
    }
    if (!known) out.add({{"reason", ""}}, failed);
}

void condition(const subject& s, std::string_view type, series_sink& out)
{
    for (const auto c : s.field.items())
        if (c["type"].as_string() == type) statuses_of(c, "condition", out);
}

void suspended(const subject& s, series_sink& out)
{
    for (const auto c : s.field.items())
        if (c["type"].as_string() == "Suspended") out.add(c["status"].as_string() == "True" ? 1 : 0);
}

void cron_info(const subject& s, series_sink& out)
{
    const auto spec = s.o["spec"];
    out.add({{"schedule", spec["schedule"].as_string()},
             {"concurrency_policy", spec["concurrencyPolicy"].as_string()},
             {"timezone", spec["timeZone"].as_string("local")}},
            1);
}

void count(const subject& s, series_sink& out) { out.add(static_cast<double>(s.field.size())); }

constexpr std::array job_families{
    family{"kube_job_labels", "[STABLE] Kubernetes labels converted to Prometheus labels.", shown_labels},
    family{"kube_job_info", "[STABLE] Information about job.", one},
    family{"kube_job_created", "[STABLE] Unix creation timestamp", time_if_present, created},
    family{"kube_job_spec_parallelism",
           "[STABLE] The maximum desired number of pods the job should run at any given time.", number_if_present,
           "spec.parallelism"},
    family{"kube_job_spec_completions",
           "[STABLE] The desired number of successfully finished pods the job should be run with.", number_if_present,
           "spec.completions"},
    family{"kube_job_spec_active_deadline_seconds",
           "[STABLE] The duration in seconds relative to the startTime that the job may be active before the system "
           "tries to terminate it.",
           number_if_present, "spec.activeDeadlineSeconds"},
    family{"kube_job_status_succeeded", "[STABLE] The number of pods which reached Phase Succeeded.", number,
           "status.succeeded"},
    family{"kube_job_status_failed",
           "[STABLE] The number of pods which reached Phase Failed and the reason for failure.", failed_pods,
           "status.failed"},
    family{"kube_job_status_active", "[STABLE] The number of actively running pods.", number, "status.active"},
    family{"kube_job_complete", "[STABLE] The job has completed its execution.",
           [](const subject& s, series_sink& out) { condition(s, "Complete", out); }, "status.conditions"},
    family{"kube_job_failed", "[STABLE] The job has failed its execution.",
           [](const subject& s, series_sink& out) { condition(s, "Failed", out); }, "status.conditions"},
    family{"kube_job_status_start_time",
           "[STABLE] StartTime represents time when the job was acknowledged by the Job Manager.", time_if_present,
           "status.startTime"},
    family{"kube_job_status_completion_time", "[STABLE] CompletionTime represents time when the job was completed.",
           time_if_present, "status.completionTime"},
    family{"kube_job_status_suspended", "The number of pods which reached Phase Suspended.", suspended,
           "status.conditions"},
    family{"kube_job_owner", "[STABLE] Information about the Job's owner.", owners},
};

constexpr std::array cron_job_families{
    family{"kube_cronjob_labels", "[STABLE] Kubernetes labels converted to Prometheus labels.", shown_labels},
    family{"kube_cronjob_info", "[STABLE] Info about cronjob.", cron_info},
    family{"kube_cronjob_created", "[STABLE] Unix creation timestamp", time_if_present, created},
    family{"kube_cronjob_status_active", "[STABLE] Active holds pointers to currently running jobs.", count,
           "status.active"},
    family{"kube_cronjob_status_last_schedule_time",
           "[STABLE] LastScheduleTime keeps information of when was the last time the job was successfully scheduled.",
           time_if_present, "status.lastScheduleTime"},
    family{"kube_cronjob_status_last_successful_time",
           "LastSuccessfulTime keeps information of when was the last time the job was completed successfully.",
           time_if_present, "status.lastSuccessfulTime"},
    family{"kube_cronjob_spec_suspend", "[STABLE] Suspend flag tells the controller to suspend subsequent executions.",
           flag_if_present, "spec.suspend"},
    family{"kube_cronjob_spec_starting_deadline_seconds",
           "[STABLE] Deadline in seconds for starting the job if it misses scheduled time for any reason.",
           number_if_present, "spec.startingDeadlineSeconds"},
    family{"kube_cronjob_metadata_resource_version",
           "[STABLE] Resource version representing a specific version of the cronjob.", version},
    family{"kube_cronjob_spec_successful_job_history_limit",
           "Successful job history limit tells the controller how many completed jobs should be preserved.",
           number_if_present, "spec.successfulJobsHistoryLimit"},
    family{"kube_cronjob_spec_failed_job_history_limit",
           "Failed job history limit tells the controller how many failed jobs should be preserved.", number_if_present,
           "spec.failedJobsHistoryLimit"},
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
