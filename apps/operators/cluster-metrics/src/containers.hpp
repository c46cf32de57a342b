// Writers of series of containers: one for each item of the list at the family's path.
#pragma once

#include "family.hpp"

namespace kubecoro::cluster_metrics {

// ---- of their specifications

/// Those that have a status.
void container_info(const subject& s, series_sink& out);
void init_container_info(const subject& s, series_sink& out);
void container_limits(const subject& s, series_sink& out);
void container_requests(const subject& s, series_sink& out);

// ---- of their statuses

void container_ready(const subject& s, series_sink& out);
void container_restarts(const subject& s, series_sink& out);
void container_running(const subject& s, series_sink& out);
void container_waiting(const subject& s, series_sink& out);
void container_terminated(const subject& s, series_sink& out);
void container_started(const subject& s, series_sink& out);
void waiting_reason(const subject& s, series_sink& out);
void terminated_reason(const subject& s, series_sink& out);
void last_terminated_reason(const subject& s, series_sink& out);
void last_terminated_exit_code(const subject& s, series_sink& out);
void last_terminated_time(const subject& s, series_sink& out);

} // namespace kubecoro::cluster_metrics
