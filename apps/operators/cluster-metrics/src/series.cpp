#include "series.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kubecoro::cluster_metrics {
namespace {

void append_label(std::string& out, char separator, std::string_view name, std::string_view value)
{
    out += separator;
    out += name;
    out += "=\"";
    append_escaped(out, value);
    out += '"';
}

bool is_special(char c) noexcept { return c == '\\' || c == '"' || c == '\n'; }

constexpr std::size_t word = sizeof(std::uint64_t);

/// Whether one of the bytes of a word is this one.
bool has(std::uint64_t bytes, unsigned char c) noexcept
{
    constexpr std::uint64_t ones = 0x0101010101010101;
    const auto x = bytes ^ (ones * c);
    return ((x - ones) & ~x & (ones << 7)) != 0;
}

bool has_special(const char* at) noexcept
{
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, at, word);
    return has(bytes, '\\') || has(bytes, '"') || has(bytes, '\n');
}

/// The first character to escape, or the end. By words: nearly all texts are plain. find_first_of() calls memchr() for each byte.
const char* first_special(std::string_view text) noexcept
{
    const char* at = text.data();
    const char* const end = at + text.size();
    if (text.size() >= word) {
        while (end - at >= static_cast<std::ptrdiff_t>(word) && !has_special(at)) at += word;
        if (!has_special(end - word) && end - at < static_cast<std::ptrdiff_t>(word)) return end;
    }
    return std::find_if(at, end, is_special);
}

/// Digits of the exponent behind the 'e' of a number in scientific notation.
int exponent_of(std::string_view scientific)
{
    auto digits = scientific.substr(scientific.find('e') + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    int out = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), out);
    return out;
}

} // namespace

void append_escaped(std::string& out, std::string_view text)
{
    for (;;) {
        const auto plain = static_cast<std::size_t>(first_special(text) - text.data());
        out.append(text, 0, plain);
        if (plain == text.size()) return;
        out += '\\';
        out += text[plain] == '\n' ? 'n' : text[plain];
        text.remove_prefix(plain + 1);
    }
}

void append_number(std::string& out, double value)
{
    // Nearly all are 0 or 1.
    if (value == 0 || value == 1) {
        out += value == 0 ? '0' : '1';
        return;
    }
    if (!std::isfinite(value)) {
        out += std::isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
        return;
    }
    std::array<char, 64> text{};
    const auto end = text.data() + text.size();
    auto written = std::to_chars(text.data(), end, value, std::chars_format::scientific);
    const int exponent = exponent_of({text.data(), written.ptr});
    if (exponent >= -4 && exponent < 6) written = std::to_chars(text.data(), end, value, std::chars_format::fixed);
    out.append(text.data(), written.ptr);
}

void series_sink::begin(std::string_view family, const object& of, const identity_labels& names) noexcept
{
    of_this_object_ = 0;
    start_.clear();
    family_ = family;
    of_ = &of;
    names_ = &names;
}

void series_sink::make_start()
{
    start_ = family_;
    char separator = '{';
    if (names_->has_namespace) {
        append_label(start_, separator, "namespace", of_->ns());
        separator = ',';
    }
    append_label(start_, separator, names_->name, of_->name());
    if (names_->has_uid) append_label(start_, ',', "uid", of_->uid());
}

bool series_sink::fits(std::span<const label> further) const noexcept
{
    const auto short_enough = [this](const label& l) { return l.value.size() <= limits_.label_bytes; };
    return of_this_object_ < limits_.per_object && further.size() <= limits_.labels &&
           std::all_of(further.begin(), further.end(), short_enough);
}

void series_sink::add(std::span<const label> further, double value)
{
    if (!fits(further)) {
        ++left_out_;
        return;
    }
    if (start_.empty()) make_start();
    ++of_this_object_;
    ++series_;
    *out_ += start_;
    for (const auto& l : further) append_label(*out_, ',', l.name, l.value);
    *out_ += "} ";
    append_number(*out_, value);
    *out_ += '\n';
}

} // namespace kubecoro::cluster_metrics
