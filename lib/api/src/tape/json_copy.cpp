#include "tape/json_copy.hpp"

#include "tape/tape_reader.hpp"
#include "text/json_text.hpp"

#include <boost/json/value_stack.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <system_error>

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

namespace kubecoro {

namespace detail {
namespace {

/// Builds a value from the inside out. Each container is then allocated once, in its size.
class json_builder
{
public:
    json_copy copy(const value_view& v)
    {
        push(v, 0);
        return {stack_.release(), exact_};
    }

private:
    // NOLINTNEXTLINE(misc-no-recursion): up to `deepest`
    void push(const value_view& v, std::size_t depth)
    {
        const head h = tape_access::head_of(v);
        switch (h.kind) {
        case value_kind::absent:
        case value_kind::null:
            return stack_.push_null();
        case value_kind::boolean:
            return stack_.push_bool(h.number != 0);
        case value_kind::integer:
            return stack_.push_int64(h.number);
        case value_kind::number:
            return push_number(h.text());
        case value_kind::string:
            return stack_.push_string(h.text());
        case value_kind::array:
            return push_items(v.items(), depth + 1);
        case value_kind::object:
            return push_members(v.members(), depth + 1);
        }
    }

    void push_number(std::string_view text)
    {
        exact_ = false;
        // Unsigned 64-bit counters stay exact; numbers with a fraction or an exponent become doubles, as in Boost.JSON
        // itself.
        std::uint64_t big = 0;
        const auto r = std::from_chars(text.data(), text.data() + text.size(), big);
        if (r.ec == std::errc{} && r.ptr == text.data() + text.size()) return stack_.push_uint64(big);
        // JSON has no infinity, and values read from JSON must be writable as JSON.
        constexpr double largest = std::numeric_limits<double>::max();
        stack_.push_double(std::clamp(double_value(text).value_or(0), -largest, largest));
    }

    // NOLINTNEXTLINE(misc-no-recursion)
    void push_items(const item_range& items, std::size_t depth)
    {
        std::size_t size = 0;
        if (depth <= deepest)
            for (const value_view item : items) {
                push(item, depth);
                ++size;
            }
        stack_.push_array(size);
    }

    // NOLINTNEXTLINE(misc-no-recursion)
    void push_members(const member_range& members, std::size_t depth)
    {
        std::size_t size = 0;
        if (depth <= deepest)
            for (const auto& [key, value] : members) {
                stack_.push_key(key);
                push(value, depth);
                ++size;
            }
        // Keeps the last one of members of the same name.
        stack_.push_object(size);
    }

    // Enough for most values.
    alignas(std::max_align_t) std::array<unsigned char, 4096> scratch_;
    boost::json::value_stack stack_{{}, scratch_.data(), scratch_.size()};
    bool exact_ = true;
};

} // namespace

json_copy copy_to_json(const value_view& v)
{
    json_builder builder; // not `json_builder()`, which sets all bytes of the scratch to zero
    return builder.copy(v);
}

} // namespace detail

boost::json::value value_view::to_json() const { return detail::copy_to_json(*this).value; }

} // namespace kubecoro
