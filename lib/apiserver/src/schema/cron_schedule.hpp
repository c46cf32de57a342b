// Checks the schedules of CronJobs.
#pragma once

#include <string>
#include <string_view>

namespace kubecoro::apiserver {

/** Checks a schedule: five fields, or a descriptor such as "@daily".

    @return what is wrong, in the words of the parser that Kubernetes uses; empty if it is right. */
[[nodiscard]] std::string cron_schedule_problem(std::string_view schedule);

} // namespace kubecoro::apiserver
