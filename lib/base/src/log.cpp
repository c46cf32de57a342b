#include <kubecoro/base/log.hpp>

#include "character.hpp"

#include <cstdio>

namespace kubecoro {
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

/// @param escaped  Printable characters that get a backslash.
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

} // namespace

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

logger::logger(sink s, log_level threshold) : threshold_(threshold)
{
    if (s) sink_ = std::make_shared<const sink>(std::move(s));
}

bool logger::enabled(log_level level) const noexcept { return sink_ && level >= threshold_; }

void logger::write(log_level level, std::string_view message, std::initializer_list<log_field> fields) const noexcept
{
    if (!enabled(level)) return;
    try {
        (*sink_)(log_record{level, message, fields.begin(), fields.size()});
    } catch (...) { // a sink that fails has nowhere to say so
    }
}

logger logger::with(std::vector<std::pair<std::string, std::string>> fields) const
{
    if (!sink_) return *this;
    auto add = [to = sink_, fields = std::move(fields)](const log_record& record) {
        std::vector<log_field> all(record.fields, record.fields + record.field_count);
        for (const auto& [name, value] : fields) all.emplace_back(name, value);
        (*to)(log_record{record.level, record.message, all.data(), all.size()});
    };
    return logger(std::move(add), threshold_);
}

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

} // namespace kubecoro
