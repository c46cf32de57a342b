#pragma once

#include <kubecoro/base/tracer.hpp>

#include <string>

namespace kubecoro {

/** How a controller traces the way from an event to its run. A span for each event that leads to keys, one for each run, and
    one for each request of a run; log lines of runs get `trace` and `run`, requests the header `traceparent`.

    At most 4,096 keys that wait have causes, about 300 bytes each; keys beyond run without a trace, and are counted. Without a tracer
    nothing of this happens, and nothing is paid. */
struct trace_options
{
    /// Makes the spans. Empty = no traces. tracer::ids_only() = only ids in log lines and requests.
    kubecoro::tracer tracer = {};
    /// Whether objects of a first list and resyncs begin traces: as many as there are objects.
    bool unchanged = false;
    /// Whether requests of runs carry `traceparent`.
    bool propagate = true;
    /// Name of the cluster, as `kubecoro.cluster` in the spans of events, triggers and runs. Empty = none. manager::clusters()
    /// sets it.
    std::string cluster = {};
};

} // namespace kubecoro
