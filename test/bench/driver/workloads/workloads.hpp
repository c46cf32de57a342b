#pragma once

#include "session.hpp"

#include <kubecoro/base/result.hpp>

#include <string_view>

namespace kubecoro::bench {

/* One function per workload. Each adds its numbers to the session and leaves the subject idle. A failure means that
   this subject cannot continue. */

/// From nothing until every object has passed handler, queue, worker and lister. Also "namespaces", which is the sync of
/// one informer over several.
result<> run_sync(session& s);
/// Resident memory after the sync, with releasable memory released.
result<> run_steady(session& s);
/// Fields of cached objects, without any informer activity.
result<> run_read(session& s);
/// Changes as fast as the subject handles them.
result<> run_events(session& s);
/// Latency from the server's stamp to the worker having read the object, at a given rate.
result<> run_paced_1000(session& s);
result<> run_paced_5000(session& s);
/// The paced workload at the first rate for two minutes, which shows tails.
result<> run_tail(session& s);
/// 410 in the watch, with one object in a hundred changed since.
result<> run_relist(session& s);
/// The highest resident memory, all of the above included.
result<> run_peak(session& s);
/// The work queue by itself: add, get, forget, done.
result<> run_queue(session& s);

/// The workload of that name, as in bench_options::names; null when there is none.
using workload = result<> (*)(session&);
[[nodiscard]] workload workload_named(std::string_view name);
} // namespace kubecoro::bench
