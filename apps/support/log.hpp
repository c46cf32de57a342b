// Logging of programs: the library's logger on top of spdlog on stderr.
#pragma once

#include <kubecoro/base/log.hpp>

namespace kubecoro::tool {

enum class log_format
{
    /// Human-readable: `10:00:00.000 warning message name=value`. A repeated line is shown once.
    text,
    /// One JSON object per line: time (UTC), level, message, and the fields by name.
    json
};

/// Writes lines of at least this level to stderr, with a timestamp.
[[nodiscard]] logger make_logger(log_level threshold, log_format format = log_format::text);

} // namespace kubecoro::tool
