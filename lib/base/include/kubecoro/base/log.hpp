#pragma once

#include <kubecoro/base/callback.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace kubecoro {

/// How important a line is, in rising order.
enum class log_level
{
    trace,
    debug,
    info,
    warning,
    error
};

/// The level's lower-case name.
[[nodiscard]] std::string_view to_string(log_level level) noexcept;

/// One line passed to a sink. Borrowed: valid only during the call.
struct log_record
{
    /// A named value of a log line. Borrowed: valid only during the call.
    struct field
    {
        /// The field's name.
        std::string_view name;
        /// The field's value.
        std::variant<std::string_view, std::int64_t, double, bool> value;

        /// A text. Name and value are borrowed.
        field(std::string_view n, std::string_view v) : name(n), value(v) {}
        /// A text. Name and value are borrowed.
        field(std::string_view n, const std::string& v) : name(n), value(std::string_view(v)) {}
        /// A text that ends with a zero byte, not null. Name and value are borrowed.
        field(std::string_view n, const char* v) : name(n), value(std::string_view(v)) {}
        /// A truth value, formatted as "true" or "false".
        field(std::string_view n, bool v) : name(n), value(v) {}
        /// A number, formatted with six significant digits.
        field(std::string_view n, double v) : name(n), value(v) {}
        /// An integer of any size. An unsigned value beyond the range of std::int64_t becomes negative.
        template<class Integer>
            requires std::is_integral_v<Integer>
        field(std::string_view n, Integer v) : name(n), value(static_cast<std::int64_t>(v))
        {
        }
    };

    /// Its level.
    log_level level;
    /// The message, without its fields.
    std::string_view message;
    /// The fields.
    const field* fields;
    /// Number of fields.
    std::size_t field_count;
};

/** Writes log lines to a sink supplied by the program, or to standard error.

    A default-constructed logger writes warnings and errors to standard error, one line each, with the time in UTC.
    The environment variable KUBECORO_LOG sets another threshold for it: trace, debug, info, warning, error, or off.
    `logger::silent()` drops everything.

    Copies share the sink. The sink is called from any thread and must not block for long; its exceptions are
    swallowed. */
class logger
{
public:
    /// Receives each line that passes the threshold.
    using sink = callback<void(const log_record&)>;

    logger();
    /// Writes lines of at least this level to the sink.
    explicit logger(sink s, log_level threshold = log_level::info);
    /// Drops everything.
    [[nodiscard]] static logger silent();

    /// Whether a line of that level is written.
    [[nodiscard]] bool enabled(log_level level) const noexcept;
    /// Writes a line, if its level is enabled. Never throws.
    void write(log_level level, std::string_view message,
               std::initializer_list<log_record::field> fields = {}) const noexcept;
    /// A logger that adds these values to every line.
    [[nodiscard]] logger with(std::vector<std::pair<std::string, std::string>> fields) const;

    /// write() at level trace.
    void trace(std::string_view m, std::initializer_list<log_record::field> f = {}) const noexcept
    {
        write(log_level::trace, m, f);
    }
    /// write() at level debug.
    void debug(std::string_view m, std::initializer_list<log_record::field> f = {}) const noexcept
    {
        write(log_level::debug, m, f);
    }
    /// write() at level info.
    void info(std::string_view m, std::initializer_list<log_record::field> f = {}) const noexcept
    {
        write(log_level::info, m, f);
    }
    /// write() at level warning.
    void warning(std::string_view m, std::initializer_list<log_record::field> f = {}) const noexcept
    {
        write(log_level::warning, m, f);
    }
    /// write() at level error.
    void error(std::string_view m, std::initializer_list<log_record::field> f = {}) const noexcept
    {
        write(log_level::error, m, f);
    }

private:
    std::shared_ptr<const sink> sink_;
    log_level threshold_ = log_level::info;
};

/// Formats a record as `level message name=value ...`, quoting where needed. For simple sinks and tests.
[[nodiscard]] std::string format(const log_record& record);

/// The line written to standard error: an RFC 3339 timestamp with milliseconds, followed by format(record).
[[nodiscard]] std::string format(const log_record& record, std::chrono::system_clock::time_point at);

/** A log level that can be changed while loggers use it: those that make() returns, their copies, and those made of them by
    with(). Thread safe. Copies refer to the same level. */
class log_control
{
public:
    /// Begins with this level.
    explicit log_control(log_level threshold = log_level::info);

    /// A logger that writes lines of at least the present level to the sink.
    [[nodiscard]] logger make(logger::sink to) const;
    /// Changes the level of all of them.
    void set(log_level threshold) const noexcept;
    /// The present level.
    [[nodiscard]] log_level threshold() const noexcept;

private:
    std::shared_ptr<std::atomic<log_level>> level_;
};

} // namespace kubecoro
