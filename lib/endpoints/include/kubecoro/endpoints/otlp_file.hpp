#pragma once

#include <kubecoro/base/result.hpp>
#include <kubecoro/base/tracer.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace kubecoro {

/// The program, as its spans name it.
struct otlp_resource
{
    /// `service.name`.
    std::string service = {};
    /// `service.version`; empty = none.
    std::string version = {};
};

/// A span as OpenTelemetry's protocol has it in JSON: a whole request in one line, as its file exporter writes it.
[[nodiscard]] std::string to_otlp_line(const span_data& s, const otlp_resource& from = {});

/** A sink that writes each span to a file, as to_otlp_line(). The receiver `otlpjsonfile` of the OpenTelemetry collector
    follows such a file.

    Writes at the end of each span, on its thread, and flushes; a line that cannot be written is lost.
    @param path       It is created; lines are added to an existing one.
    @param max_bytes  A file of this size gets the suffix ".1", in the place of an older one, and another one begins; where it cannot be
                      renamed it is emptied. 0 = no limit.
    @par Errors  cond::misconfigured when the file cannot be opened. */
[[nodiscard]] result<std::shared_ptr<span_sink>> otlp_file(std::string path, otlp_resource resource = {},
                                                           std::size_t max_bytes = std::size_t{64} << 20);

} // namespace kubecoro
