#include <kubecoro/program/spdlog_logger.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <spdlog/sinks/dup_filter_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace kubecoro {
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

using spdlog_ptr = std::shared_ptr<spdlog::logger>;

spdlog_ptr for_people()
{
    // Suppresses a failure that every retry repeats; the next different line is preceded by the number of suppressed
    // ones.
    auto sink = std::make_shared<spdlog::sinks::dup_filter_sink_mt>(std::chrono::minutes{10});
    const bool plain = std::getenv("NO_COLOR") != nullptr;
    sink->add_sink(std::make_shared<spdlog::sinks::stderr_color_sink_mt>(plain ? spdlog::color_mode::never
                                                                               : spdlog::color_mode::automatic));
    auto out = std::make_shared<spdlog::logger>("kubecoro", std::move(sink));
    out->set_pattern("%H:%M:%S.%e %^%-7l%$ %v");
    return out;
}

spdlog_ptr for_machines()
{
    auto out = std::make_shared<spdlog::logger>("kubecoro", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    out->set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ",%v})", spdlog::pattern_time_type::utc);
    return out;
}

std::string text_line(const log_record& record)
{
    // format() begins with the level's name, which the pattern already shows.
    std::string line = format(record);
    line.erase(0, line.find(' ') + 1);
    return line;
}

/// The members after those written by the pattern.
std::string json_line(const log_record& record)
{
    boost::json::object line{{"level", to_string(record.level)}, {"message", record.message}};
    for (std::size_t i = 0; i < record.field_count; ++i) {
        const auto& field = record.fields[i];
        std::visit([&](const auto& value) { line[field.name] = value; }, field.value);
    }
    std::string out = boost::json::serialize(line);
    return out.substr(1, out.size() - 2);
}

logger::sink spdlog_sink(log_format format)
{
    const bool json = format == log_format::json;
    auto out = json ? for_machines() : for_people();
    out->set_level(spdlog::level::trace); // the logger has the threshold
    return [out, json](const log_record& record) {
        out->log(spdlog_level(record.level), "{}", json ? json_line(record) : text_line(record));
    };
}

} // namespace

logger spdlog_logger(log_level threshold, log_format format) { return logger(spdlog_sink(format), threshold); }

logger spdlog_logger(const log_control& threshold, log_format format) { return threshold.make(spdlog_sink(format)); }

} // namespace kubecoro
