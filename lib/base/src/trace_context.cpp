#include <kubecoro/base/trace_context.hpp>

namespace kubecoro {
namespace {

constexpr std::string_view digits = "0123456789abcdef";
// "00-" trace "-" span "-" flags.
constexpr std::size_t trace_at = 3, span_at = 36, flags_at = 53, length = 55;

void append_hex(std::string& out, std::uint64_t value)
{
    for (int shift = 60; shift >= 0; shift -= 4) out += digits[(value >> shift) & 0xf];
}

/// Upper-case digits are not permitted.
std::optional<std::uint64_t> hex(std::string_view text) noexcept
{
    std::uint64_t out = 0;
    for (const char c : text) {
        const auto digit = digits.find(c);
        if (digit == std::string_view::npos) return std::nullopt;
        out = (out << 4) | digit;
    }
    return out;
}

bool has_form(std::string_view text) noexcept
{
    if (text.size() < length || text[2] != '-' || text[span_at - 1] != '-' || text[flags_at - 1] != '-') return false;
    const auto version = text.substr(0, 2);
    if (!hex(version) || version == "ff") return false;
    return text.size() == length || (version != "00" && text[length] == '-');
}

} // namespace

std::string trace_context::trace_text() const
{
    std::string out;
    append_hex(out, trace_high);
    append_hex(out, trace_low);
    return out;
}

std::string trace_context::span_text() const
{
    std::string out;
    append_hex(out, span);
    return out;
}

std::string trace_context::traceparent() const
{
    std::string out = "00-";
    append_hex(out, trace_high);
    append_hex(out, trace_low);
    out += '-';
    append_hex(out, span);
    return out + (sampled ? "-01" : "-00");
}

std::optional<trace_context> trace_context::parse(std::string_view traceparent) noexcept
{
    if (!has_form(traceparent)) return std::nullopt;
    const auto high = hex(traceparent.substr(trace_at, 16));
    const auto low = hex(traceparent.substr(trace_at + 16, 16));
    const auto span = hex(traceparent.substr(span_at, 16));
    const auto flags = hex(traceparent.substr(flags_at, 2));
    if (!high || !low || !span || !flags) return std::nullopt;
    const trace_context out{.trace_high = *high, .trace_low = *low, .span = *span, .sampled = (*flags & 1) != 0};
    return out ? std::optional(out) : std::nullopt;
}

} // namespace kubecoro
