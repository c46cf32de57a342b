#include "operator/operator_traces.hpp"

#include <kubecoro/endpoints/otlp_file.hpp>

#include <utility>

namespace kubecoro::detail {

result<> begin_traces(const operator_flags& flags, operator_options& o)
{
    auto& used = o.managing.traces.tracer;
    if (flags.trace_file.empty()) {
        if (flags.wants_ids() && !used) used = tracer::ids_only({.time = o.connection.time});
        return {};
    }
    auto sink = otlp_file(flags.trace_file, {.service = o.name, .version = o.version});
    if (!sink) return sink.error();
    used = tracer(*std::move(sink), {.sample = flags.trace_sample, .time = o.connection.time});
    return {};
}

} // namespace kubecoro::detail
