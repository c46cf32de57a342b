#include "operator/operator_traces.hpp"

#include <kubecoro/endpoints/otlp_file.hpp>

#include <utility>

namespace kubecoro::detail {

result<> begin_traces(operator_options& o)
{
    auto& used = o.managing.traces.tracer;
    if (o.trace_file.empty()) {
        if (o.trace_ids && !used) used = tracer::ids_only({.time = o.connection.time});
        return {};
    }
    auto sink = otlp_file({.path = o.trace_file, .resource = {.service = o.name, .version = o.version}});
    if (!sink) return sink.error();
    used = tracer(*std::move(sink), {.sample = o.trace_sample, .time = o.connection.time});
    return {};
}

} // namespace kubecoro::detail
