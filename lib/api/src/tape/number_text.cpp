#include "tape/number_text.hpp"

#include <charconv>
#include <cmath>
#include <limits>

namespace kubecoro::detail {
namespace {

// A decimal number: its significant digits (possibly with a dot among them) and the power of ten of the first one.
struct decimal
{
    bool valid = false;
    bool negative = false;
    /// Empty for zero.
    std::string_view digits = {};
    std::int64_t magnitude = 0;
};

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// Larger exponents are all treated alike; sums with lengths stay far from overflow.
constexpr std::int64_t exponent_limit = std::int64_t{1} << 40;

bool read_exponent(std::string_view s, std::int64_t& out) noexcept
{
    bool negative = false;
    if (!s.empty() && (s.front() == '+' || s.front() == '-')) {
        negative = s.front() == '-';
        s.remove_prefix(1);
    }
    if (s.empty()) return false;
    out = 0;
    for (char c : s) {
        if (!is_digit(c)) return false;
        if (out < exponent_limit) out = out * 10 + (c - '0');
    }
    if (negative) out = -out;
    return true;
}

decimal read_decimal(std::string_view s) noexcept
{
    decimal d;
    if (!s.empty() && s.front() == '-') {
        d.negative = true;
        s.remove_prefix(1);
    }
    std::int64_t exponent = 0;
    if (const auto e = s.find_first_of("eE"); e != std::string_view::npos) {
        if (!read_exponent(s.substr(e + 1), exponent)) return {};
        s = s.substr(0, e);
    }
    const auto dot = s.find('.');
    const auto whole = dot == std::string_view::npos ? s.size() : dot;
    if (whole == 0) return {};
    for (std::size_t i = 0; i < s.size(); ++i)
        if (!is_digit(s[i]) && i != dot) return {};
    d.valid = true;
    const auto first = s.find_first_not_of("0.");
    if (first == std::string_view::npos) return d;
    const auto last = s.find_last_not_of("0.");
    d.digits = s.substr(first, last - first + 1);
    const auto place = static_cast<std::int64_t>(whole) - static_cast<std::int64_t>(first);
    d.magnitude = exponent + (place > 0 ? place - 1 : place);
    return d;
}

// Reads digits one by one, skipping the dot.
class digit_reader
{
public:
    explicit digit_reader(std::string_view s) noexcept : s_(s) {}
    /// -1 at the end.
    int next() noexcept
    {
        if (at_ < s_.size() && s_[at_] == '.') ++at_;
        return at_ < s_.size() ? s_[at_++] - '0' : -1;
    }

private:
    std::string_view s_;
    std::size_t at_ = 0;
};

} // namespace

bool equal_numbers(std::string_view a, std::string_view b) noexcept
{
    if (a == b) return true;
    const decimal x = read_decimal(a);
    const decimal y = read_decimal(b);
    if (!x.valid || !y.valid) return false;
    if (x.digits.empty() || y.digits.empty()) return x.digits.empty() && y.digits.empty();
    if (x.negative != y.negative || x.magnitude != y.magnitude) return false;
    digit_reader p(x.digits);
    digit_reader q(y.digits);
    for (;;) {
        const int m = p.next();
        if (m != q.next()) return false;
        if (m < 0) return true;
    }
}

std::optional<std::int64_t> integral_value(std::string_view text) noexcept
{
    const decimal d = read_decimal(text);
    if (!d.valid) return std::nullopt;
    if (d.digits.empty()) return 0;
    if (d.magnitude < 0 || d.magnitude > 18) return std::nullopt;
    std::uint64_t value = 0;
    digit_reader digits(d.digits);
    for (std::int64_t i = 0; i <= d.magnitude; ++i) {
        const int digit = digits.next();
        value = value * 10 + static_cast<std::uint64_t>(digit < 0 ? 0 : digit);
    }
    if (digits.next() >= 0) return std::nullopt;
    constexpr auto top = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (value > top + (d.negative ? 1 : 0)) return std::nullopt;
    return static_cast<std::int64_t>(d.negative ? 0 - value : value);
}

std::optional<double> double_value(std::string_view text) noexcept
{
    const decimal d = read_decimal(text);
    if (!d.valid) return std::nullopt;
    double value = 0;
    const auto r = std::from_chars(text.data(), text.data() + text.size(), value);
    if (r.ec == std::errc::result_out_of_range) {
        value = d.magnitude > 0 ? std::numeric_limits<double>::infinity() : 0.0;
        return d.negative ? -value : value;
    }
    if (r.ec != std::errc{}) return std::nullopt;
    return value;
}

integer_text::integer_text(std::int64_t value) noexcept
{
    size = static_cast<std::size_t>(std::to_chars(buffer, buffer + sizeof buffer, value).ptr - buffer);
}

} // namespace kubecoro::detail
