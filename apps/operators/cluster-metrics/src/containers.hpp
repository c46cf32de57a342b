// Writers of series of containers: one for each item of a list.
#pragma once

#include "family.hpp"

#include <kubecoro/core_v1/pod.hpp>

namespace kubecoro::cluster_metrics {

using container_list = list_view<view<core_v1::container>>;
using status_list = list_view<view<core_v1::container_status>>;

// ---- of their specifications

/// Those that have a status.
void container_info(container_list all, const subject& s, series_sink& out);
void init_container_info(container_list all, const subject& s, series_sink& out);
void container_limits(container_list all, const subject& s, series_sink& out);
void container_requests(container_list all, const subject& s, series_sink& out);

// ---- of their statuses

void container_ready(status_list all, series_sink& out);
void container_restarts(status_list all, series_sink& out);
void container_running(status_list all, series_sink& out);
void container_waiting(status_list all, series_sink& out);
void container_terminated(status_list all, series_sink& out);
void container_started(status_list all, series_sink& out);
void waiting_reason(status_list all, series_sink& out);
void terminated_reason(status_list all, series_sink& out);
void last_terminated_reason(status_list all, series_sink& out);
void last_terminated_exit_code(status_list all, series_sink& out);
void last_terminated_time(status_list all, series_sink& out);

} // namespace kubecoro::cluster_metrics
