#pragma once

#include <kubecoro/base/log.hpp>

namespace kubecoro {

/// The form of a program's log lines.
enum class log_format
{
    /// For people: `10:00:00.000 warning message name=value`. A repeated line is shown once.
    text,
    /// One JSON object per line: time (UTC), level, message, and the fields by name.
    json
};

/// Writes lines of at least this level to standard error, with a timestamp, through spdlog.
[[nodiscard]] logger spdlog_logger(log_level threshold, log_format format = log_format::text);
/// The same with a level that changes.
[[nodiscard]] logger spdlog_logger(const log_control& threshold, log_format format = log_format::text);

} // namespace kubecoro
