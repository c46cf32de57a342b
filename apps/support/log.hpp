// Logs of programs: spdlog on stderr behind the library's logger.
#pragma once

#include <kubecoro/base/log.hpp>

namespace kubecoro::tool {

enum class log_format
{
    /// For people: `10:00:00.000 warning message name=value`. A line that comes again and again is shown once.
    text,
    /// One JSON object a line: time (UTC), level, message, and the values by their names.
    json
};

/// Lines of at least this level go to stderr, with the time.
[[nodiscard]] logger make_logger(log_level threshold, log_format format = log_format::text);

} // namespace kubecoro::tool
