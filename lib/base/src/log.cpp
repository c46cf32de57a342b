// Lines of logs, and texts that are safe for them.
#include <kubecoro/base/log.hpp>

#include "log_environment.hpp"

#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/base/printable.hpp>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace kubecoro {

namespace detail {

namespace {

struct character
{
    /// In bytes; 1 for a byte that is not UTF-8.
    std::size_t length = 1;
    bool printable = false;
};

constexpr bool moves_the_cursor(std::uint32_t c) noexcept
{
    return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
           (c >= 0x2066 && c <= 0x2069);
}

/// Length in bytes of a character with this first byte; 0 = not a valid first byte.
constexpr std::size_t length_by_first(unsigned char byte) noexcept
{
    if (byte < 0x80) return 1;
    if (byte >= 0xc2 && byte <= 0xdf) return 2;
    if (byte >= 0xe0 && byte <= 0xef) return 3;
    return byte >= 0xf0 && byte <= 0xf4 ? 4 : 0;
}

constexpr std::uint32_t least_of_length[] = {0, 0, 0x80, 0x800, 0x10000};

/// The first character of a text.
character first_character(std::string_view text) noexcept
{
    KUBECORO_EXPECT(!text.empty());
    const auto first = static_cast<unsigned char>(text.front());
    const std::size_t length = length_by_first(first);
    if (length == 0 || length > text.size()) return {};
    std::uint32_t code = length == 1 ? first : first & (0x7fU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        const auto next = static_cast<unsigned char>(text[i]);
        if ((next & 0xc0) != 0x80) return {};
        code = code << 6 | (next & 0x3f);
    }
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    if (code < least_of_length[length] || code > 0x10ffff || surrogate) return {};
    return {length, !moves_the_cursor(code)};
}

} // namespace

} // namespace detail

std::string printable(std::string_view text, std::size_t most)
{
    std::string out;
    while (!text.empty()) {
        const auto next = detail::first_character(text);
        const auto shown = next.printable ? text.substr(0, next.length) : std::string_view(" ");
        if (shown.size() > most - out.size()) break;
        out += shown;
        text.remove_prefix(next.length);
    }
    return out;
}

namespace {

bool needs_quotes(std::string_view text) noexcept
{
    if (text.empty()) return true;
    while (!text.empty()) {
        const auto next = detail::first_character(text);
        if (!next.printable || std::string_view(" \"=\\").find(text.front()) != std::string_view::npos) return true;
        text.remove_prefix(next.length);
    }
    return false;
}

void append_unprintable(std::string& out, std::string_view character)
{
    for (char c : character) {
        if (c == '\n' || c == '\r' || c == '\t') {
            out += c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t";
            continue;
        }
        char hex[8];
        std::snprintf(hex, sizeof hex, "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
        out += hex;
    }
}

/// @param escaped  The printable characters that are preceded by a backslash.
void append_escaped(std::string& out, std::string_view text, std::string_view escaped)
{
    while (!text.empty()) {
        const auto next = detail::first_character(text);
        if (!next.printable) {
            append_unprintable(out, text.substr(0, next.length));
        } else {
            if (escaped.find(text.front()) != std::string_view::npos) out += '\\';
            out += text.substr(0, next.length);
        }
        text.remove_prefix(next.length);
    }
}

void append_value(std::string& out, std::string_view text)
{
    if (!needs_quotes(text)) {
        out += text;
        return;
    }
    out += '"';
    append_escaped(out, text, "\"\\");
    out += '"';
}

void append_value(std::string& out, std::int64_t v) { out += std::to_string(v); }
void append_value(std::string& out, bool v) { out += v ? "true" : "false"; }
void append_value(std::string& out, double v)
{
    char text[40];
    std::snprintf(text, sizeof text, "%g", v);
    out += text;
}

/// A single call of the C library, so that lines of several threads and processes do not interleave.
void write_to_standard_error(const log_record& record)
{
    const std::string line = format(record, std::chrono::system_clock::now()) + '\n';
    std::fwrite(line.data(), 1, line.size(), stderr);
}

/// The threshold of a logger that asks its sink, which is a controlled_sink, for it.
constexpr auto as_controlled = static_cast<log_level>(-1);

/// A sink with a threshold that changes.
struct controlled_sink
{
    std::shared_ptr<std::atomic<log_level>> level;
    logger::sink to;

    [[nodiscard]] log_level threshold() const noexcept { return level->load(std::memory_order_relaxed); }
    void operator()(const log_record& record) const { to(record); }
};

} // namespace

std::optional<log_level> standard_threshold(const char* wish) noexcept
{
    if (!wish) return log_level::warning;
    const std::string_view text(wish);
    if (text == "off") return std::nullopt;
    for (const auto level : {log_level::trace, log_level::debug, log_level::info, log_level::error})
        if (text == to_string(level)) return level;
    return log_level::warning;
}

std::string_view to_string(log_level level) noexcept
{
    switch (level) {
    case log_level::trace:
        return "trace";
    case log_level::debug:
        return "debug";
    case log_level::info:
        return "info";
    case log_level::warning:
        return "warning";
    case log_level::error:
        return "error";
    }
    return "unknown";
}

logger::logger()
{
    static const auto threshold = standard_threshold(std::getenv("KUBECORO_LOG"));
    static const auto standard_error = std::make_shared<const sink>(write_to_standard_error);
    if (!threshold) return;
    sink_ = standard_error;
    threshold_ = *threshold;
}

logger::logger(sink s, log_level threshold) : threshold_(threshold)
{
    if (s) sink_ = std::make_shared<const sink>(std::move(s));
}

logger logger::silent() { return logger(sink()); }

bool logger::enabled(log_level level) const noexcept
{
    if (!sink_) return false;
    return level >= (threshold_ == as_controlled ? sink_->target<controlled_sink>()->threshold() : threshold_);
}

void logger::write(log_level level, std::string_view message,
                   std::initializer_list<log_record::field> fields) const noexcept
{
    if (!enabled(level)) return;
    try {
        (*sink_)(log_record{level, message, fields.begin(), fields.size()});
    } catch (...) { // ignored: a sink's exception has no other receiver
    }
}

logger logger::with(std::vector<std::pair<std::string, std::string>> fields) const
{
    if (!sink_) return *this;
    auto add = [to = sink_, fields = std::move(fields)](const log_record& record) {
        std::vector<log_record::field> all(record.fields, record.fields + record.field_count);
        for (const auto& [name, value] : fields) all.emplace_back(name, value);
        (*to)(log_record{record.level, record.message, all.data(), all.size()});
    };
    if (threshold_ != as_controlled) return logger(std::move(add), threshold_);
    return logger(controlled_sink{sink_->target<controlled_sink>()->level, std::move(add)}, as_controlled);
}

log_control::log_control(log_level threshold) : level_(std::make_shared<std::atomic<log_level>>(threshold)) {}

logger log_control::make(logger::sink to) const
{
    if (!to) return logger::silent();
    return logger(controlled_sink{level_, std::move(to)}, as_controlled);
}

void log_control::set(log_level threshold) const noexcept { level_->store(threshold, std::memory_order_relaxed); }

log_level log_control::threshold() const noexcept { return level_->load(std::memory_order_relaxed); }

std::string format(const log_record& record)
{
    std::string out(to_string(record.level));
    out += ' ';
    append_escaped(out, record.message, {});
    for (std::size_t i = 0; i < record.field_count; ++i) {
        out += ' ';
        out += record.fields[i].name;
        out += '=';
        std::visit([&out](const auto& v) { append_value(out, v); }, record.fields[i].value);
    }
    return out;
}

std::string format(const log_record& record, std::chrono::system_clock::time_point at)
{
    const auto second = std::chrono::floor<std::chrono::seconds>(at);
    const auto millisecond = std::chrono::floor<std::chrono::milliseconds>(at - second);
    const std::time_t since_1970 = std::chrono::system_clock::to_time_t(second);
    std::tm utc{};
    gmtime_r(&since_1970, &utc);
    char text[40];
    const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
    std::snprintf(text + size, sizeof text - size, ".%03dZ ", static_cast<int>(millisecond.count()));
    return text + format(record);
}

} // namespace kubecoro
