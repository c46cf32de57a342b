#include "series.hpp"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace kubecoro::cluster_metrics {
namespace {

/// Braces, spaces, the line end and the longest number.
constexpr std::size_t around_labels = 64;
/// A separator, an equals sign and two quotes.
constexpr std::size_t around_label = 4;
/// Larger numbers are written with an exponent.
constexpr int least_exponent = 6;

template<class Word>
Word load(const char* at) noexcept
{
    Word out;
    std::memcpy(&out, at, sizeof out);
    return out;
}

template<class Word>
void store(char* to, Word bytes) noexcept
{
    std::memcpy(to, &bytes, sizeof bytes);
}

using word = std::uint64_t;
using half_word = std::uint32_t;

/// Whether one of the bytes of a word is this one.
bool has(word bytes, unsigned char c) noexcept
{
    constexpr word ones = 0x0101010101010101;
    const auto x = bytes ^ (ones * c);
    return ((x - ones) & ~x & (ones << 7)) != 0;
}

bool has_special(word bytes) noexcept { return has(bytes, '\\') || has(bytes, '"') || has(bytes, '\n'); }

bool is_special(char c) noexcept { return c == '\\' || c == '"' || c == '\n'; }

char* write(char* to, std::string_view text) noexcept
{
    std::memcpy(to, text.data(), text.size());
    return to + text.size();
}

char* write_bytes_escaped(char* to, std::string_view text) noexcept
{
    for (const char c : text) {
        if (is_special(c)) *to++ = '\\';
        *to++ = c == '\n' ? 'n' : c;
    }
    return to;
}

/// @param text  Shorter than a word.
char* write_short_escaped(char* to, std::string_view text) noexcept
{
    if (text.size() < sizeof(half_word)) return write_bytes_escaped(to, text);
    // Two halves that overlap.
    const auto first = load<half_word>(text.data());
    const auto last = load<half_word>(text.data() + text.size() - sizeof(half_word));
    if (has_special(word{first} << 32U | last)) return write_bytes_escaped(to, text);
    store(to, first);
    store(to + text.size() - sizeof(half_word), last);
    return to + text.size();
}

/// @param to  Has room for twice the text.
char* write_escaped(char* to, std::string_view text) noexcept
{
    // By words: nearly all texts are plain.
    if (text.size() < sizeof(word)) return write_short_escaped(to, text);
    const auto last = load<word>(text.data() + text.size() - sizeof(word));
    for (; text.size() > sizeof(word); text.remove_prefix(sizeof(word))) {
        const auto bytes = load<word>(text.data());
        if (has_special(bytes)) {
            to = write_bytes_escaped(to, text.substr(0, sizeof(word)));
        } else {
            store(to, bytes);
            to += sizeof(word);
        }
    }
    if (has_special(last)) return write_bytes_escaped(to, text);
    // A plain last word is the end of the output as well, whatever came before.
    to += text.size();
    store(to - sizeof(word), last);
    return to;
}

char* write_label(char* to, char separator, std::string_view name, std::string_view value) noexcept
{
    *to++ = separator;
    to = write(to, name);
    to = write(to, "=\"");
    to = write_escaped(to, value);
    *to++ = '"';
    return to;
}

constexpr std::size_t most_bytes(std::string_view name, std::string_view value) noexcept
{
    return around_label + name.size() + 2 * value.size();
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

/// @param value  A whole number whose neighbours are doubles as well, so that its digits are the shortest text.
char* write_whole(char* to, std::int64_t value) noexcept
{
    if (value < 0) {
        *to++ = '-';
        value = -value;
    }
    constexpr std::size_t room = 20;
    char* end = std::to_chars(to, to + room, value).ptr;
    const auto exponent = static_cast<int>(end - to - 1);
    if (exponent < least_exponent) return end;
    while (end[-1] == '0') --end;
    if (end - to > 1) {
        std::memmove(to + 2, to + 1, static_cast<std::size_t>(end - to - 1));
        to[1] = '.';
        ++end;
    }
    end = write(end, exponent < 10 ? "e+0" : "e+");
    return std::to_chars(end, end + room, exponent).ptr;
}

/// As Go's strconv with format 'g' and the shortest precision: `1.5e+09`. @param to  Has room for 32 bytes.
char* write_number(char* to, double value) noexcept
{
    // Nearly all are 0 or 1.
    if (value == 0 || value == 1) {
        *to = value == 0 ? '0' : '1';
        return to + 1;
    }
    if (!std::isfinite(value)) return write(to, std::isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf");
    constexpr double all_whole_below = std::int64_t{1} << std::numeric_limits<double>::digits;
    if (std::abs(value) < all_whole_below && value == std::trunc(value))
        return write_whole(to, static_cast<std::int64_t>(value));
    constexpr std::size_t room = 32;
    auto written = std::to_chars(to, to + room, value, std::chars_format::scientific);
    const int exponent = exponent_of({to, written.ptr});
    if (exponent >= -4 && exponent < least_exponent)
        written = std::to_chars(to, to + room, value, std::chars_format::fixed);
    return written.ptr;
}

} // namespace

void series_sink::begin(std::string_view family, const object& of, const identity_labels& names) noexcept
{
    of_this_object_ = 0;
    start_ = 0;
    family_ = family;
    of_ = &of;
    names_ = &names;
}

char* series_sink::room_for(std::size_t bytes)
{
    if (line_.size() < start_ + bytes) line_.resize(start_ + bytes);
    return line_.data() + start_;
}

void series_sink::make_start()
{
    const auto ns = names_->has_namespace ? of_->ns() : std::string_view();
    const auto uid = names_->has_uid ? of_->uid() : std::string_view();
    const auto most =
        family_.size() + most_bytes("namespace", ns) + most_bytes(names_->name, of_->name()) + most_bytes("uid", uid);
    char* at = write(room_for(most), family_);
    char separator = '{';
    if (names_->has_namespace) {
        at = write_label(at, separator, "namespace", ns);
        separator = ',';
    }
    at = write_label(at, separator, names_->name, of_->name());
    if (names_->has_uid) at = write_label(at, ',', "uid", uid);
    start_ = static_cast<std::size_t>(at - line_.data());
}

std::optional<std::size_t> series_sink::most_bytes_of(std::span<const label> further) const noexcept
{
    if (of_this_object_ == limits_.per_object || further.size() > limits_.labels) return std::nullopt;
    std::size_t out = around_labels;
    for (const auto& l : further) {
        if (l.value.size() > limits_.label_bytes) return std::nullopt;
        out += most_bytes(l.name, l.value);
    }
    return out;
}

void series_sink::add(std::span<const label> further, double value)
{
    const auto most = most_bytes_of(further);
    if (!most) {
        ++left_out_;
        return;
    }
    if (start_ == 0) make_start();
    ++of_this_object_;
    ++series_;
    char* at = room_for(*most);
    for (const auto& l : further) at = write_label(at, ',', l.name, l.value);
    at = write(at, "} ");
    at = write_number(at, value);
    *at++ = '\n';
    out_->append(line_.data(), at);
}

} // namespace kubecoro::cluster_metrics
