#include "log.hpp"

#include <spdlog/sinks/dup_filter_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <string>

namespace kubecoro::tool {

namespace {

spdlog::level::level_enum spdlog_level(log_level level)
{
    switch (level) {
    case log_level::trace:
        return spdlog::level::trace;
    case log_level::debug:
        return spdlog::level::debug;
    case log_level::info:
        return spdlog::level::info;
    case log_level::warning:
        return spdlog::level::warn;
    case log_level::error:
        return spdlog::level::err;
    }
    return spdlog::level::err;
}

} // namespace

logger make_logger(log_level threshold)
{
    // A failure that every retry repeats is said once, and how often it came when something else does.
    auto sink = std::make_shared<spdlog::sinks::dup_filter_sink_mt>(std::chrono::minutes{10});
    sink->add_sink(std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    auto out = std::make_shared<spdlog::logger>("kubecoro", std::move(sink));
    out->set_pattern("%H:%M:%S.%e %^%-7l%$ %v");
    out->set_level(spdlog_level(threshold));
    return logger(
        [out](const log_record& record) {
            // format() begins with the level's name, which the pattern shows already.
            std::string line = format(record);
            line.erase(0, line.find(' ') + 1);
            out->log(spdlog_level(record.level), "{}", line);
        },
        threshold);
}

} // namespace kubecoro::tool
