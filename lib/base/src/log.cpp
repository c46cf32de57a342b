#include <kubecoro/base/log.hpp>

#include <cstdio>

namespace kubecoro {
namespace {

bool needs_quotes(std::string_view text) noexcept
{
    if (text.empty()) return true;
    for (char c : text)
        if (static_cast<unsigned char>(c) <= 0x20 || c == '"' || c == '=' || c == '\\' || c == 0x7f) return true;
    return false;
}

void append_escaped(std::string& out, char c)
{
    switch (c) {
    case '"':
        out += "\\\"";
        return;
    case '\\':
        out += "\\\\";
        return;
    case '\n':
        out += "\\n";
        return;
    case '\r':
        out += "\\r";
        return;
    case '\t':
        out += "\\t";
        return;
    default:
        break;
    }
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
        out += c;
        return;
    }
    char hex[8];
    std::snprintf(hex, sizeof hex, "\\x%02x", static_cast<unsigned>(byte));
    out += hex;
}

void append_value(std::string& out, std::string_view text)
{
    if (!needs_quotes(text)) {
        out += text;
        return;
    }
    out += '"';
    for (char c : text) append_escaped(out, c);
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
    for (char c : record.message) {
        if (c == '"' || c == '\\')
            out += c;
        else
            append_escaped(out, c);
    }
    for (std::size_t i = 0; i < record.field_count; ++i) {
        out += ' ';
        out += record.fields[i].name;
        out += '=';
        std::visit([&out](const auto& v) { append_value(out, v); }, record.fields[i].value);
    }
    return out;
}

} // namespace kubecoro
