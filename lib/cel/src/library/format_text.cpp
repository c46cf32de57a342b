#include "library/format_text.hpp"

#include <kubecoro/api/detail/go_format.hpp>

#include "text/runes.hpp"
#include "values/write.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace kubecoro::cel::detail {

namespace {

constexpr int usual_precision = 6;
/// Digits beyond those of any double are zeros.
constexpr int largest_precision = 1'100;

value refused(std::string_view words, const value& given)
{
    return make_error("error during formatting: " + std::string(words) + ", was given " +
                      std::string(type_name(given)));
}

std::string fixed_text(double number, int precision)
{
    std::string out(400 + static_cast<std::size_t>(precision), '\0');
    const int size = std::snprintf(out.data(), out.size(), "%.*f", precision, number);
    out.resize(static_cast<std::size_t>(std::max(size, 0)));
    return out;
}

/// Writes numbers with a comma between thousands, as English does.
std::string with_commas(std::string number)
{
    const std::size_t begin = number.starts_with('-') ? 1 : 0;
    auto end = std::min(number.find('.'), number.size());
    while (end > begin + 3) number.insert(end -= 3, ",");
    return number;
}

std::string special_text(double number) { return std::isnan(number) ? "NaN" : number < 0 ? "-∞" : "∞"; }

std::string write_fixed(double number, int precision)
{
    // A negative zero has no sign.
    if (number == 0) number = 0;
    return std::isfinite(number) ? with_commas(fixed_text(number, precision)) : special_text(number);
}

std::string raised(std::string_view digits)
{
    static constexpr std::string_view signs[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string out;
    for (const char c : digits) out += c == '-' ? "⁻" : c == '+' ? "" : signs[static_cast<std::size_t>(c - '0')];
    return out;
}

/// As English writes it: `1.052033×10⁰³`. The server takes a precision for the width.
std::string write_scientific(double number, int width)
{
    std::string out;
    if (std::isfinite(number)) {
        char buffer[64];
        std::snprintf(buffer, sizeof buffer, "%.6e", number);
        const std::string_view text(buffer);
        const auto mark = text.find('e');
        out = std::string(text.substr(0, mark)) + "×10" + raised(text.substr(mark + 1));
    } else {
        out = special_text(number);
    }
    const auto size = count_runes(out);
    return std::string(std::max(static_cast<std::size_t>(width), size) - size, ' ') + out;
}

std::string in_base(const value& from, int base, bool upper)
{
    char buffer[72];
    const auto written = from.is(value_type::integer)
                             ? std::to_chars(buffer, buffer + sizeof buffer, from.as_int(), base)
                             : std::to_chars(buffer, buffer + sizeof buffer, from.as_uint(), base);
    std::string out(buffer, written.ptr);
    if (upper)
        for (char& c : out)
            if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return out;
}

std::string hex_of(std::string_view bytes, bool upper)
{
    std::string out;
    char buffer[4];
    for (const char c : bytes) {
        std::snprintf(buffer, sizeof buffer, upper ? "%02X" : "%02x", static_cast<unsigned char>(c));
        out += buffer;
    }
    return out;
}

bool is_whole(const value& from) noexcept
{
    return from.is(value_type::integer) || from.is(value_type::unsigned_integer);
}

class formatter
{
public:
    formatter(resources& from, const std::vector<value>& items) : from_(from), items_(items) {}

    value format(std::string_view pattern)
    {
        while (!pattern.empty()) {
            const auto percent = std::min(pattern.find('%'), pattern.size());
            if (!append(pattern.substr(0, percent))) return failed_;
            pattern.remove_prefix(percent);
            if (pattern.empty()) break;
            if (pattern.starts_with("%%")) {
                pattern.remove_prefix(2);
                if (!append("%")) return failed_;
                continue;
            }
            pattern.remove_prefix(1);
            if (next_ >= items_.size()) return make_error("index " + std::to_string(next_) + " out of range");
            if (!clause(pattern, items_[next_++])) return failed_;
        }
        return value(std::move(out_));
    }

private:
    bool fail(value with)
    {
        failed_ = std::move(with);
        return false;
    }

    bool append(std::string_view text)
    {
        if (!from_.take(text.size())) return fail(make_exhausted());
        out_ += text;
        return true;
    }

    /// The digits behind a point. Nothing if there is no point.
    bool precision(std::string_view& pattern, int& out)
    {
        if (!pattern.starts_with('.')) return true;
        pattern.remove_prefix(1);
        std::size_t digits = 0;
        while (digits < pattern.size() && pattern[digits] >= '0' && pattern[digits] <= '9') ++digits;
        const auto words = "could not parse formatting clause: error while parsing precision: ";
        if (digits == pattern.size())
            return fail(make_error(std::string(words) + "could not find end of precision specifier"));
        const auto [end, error] = std::from_chars(pattern.data(), pattern.data() + digits, out);
        static_cast<void>(end);
        if (digits == 0 || error != std::errc{})
            return fail(make_error(std::string(words) + "error while converting precision to integer"));
        if (out > largest_precision) return fail(make_exhausted());
        pattern.remove_prefix(digits);
        return true;
    }

    bool clause(std::string_view& pattern, const value& item)
    {
        if (pattern.empty()) return fail(make_error("unexpected end of string"));
        if (is_error(item)) return fail(item);
        int digits = usual_precision;
        if (!precision(pattern, digits)) return false;
        const char letter = pattern[0];
        pattern.remove_prefix(1);
        switch (letter) {
        case 's':
            return text_clause(item);
        case 'd':
            if (is_whole(item)) return append(in_base(item, 10, false));
            return fail(refused("decimal clause can only be used on integers", item));
        case 'f':
        case 'e':
            return real_clause(item, letter, digits);
        case 'b':
            if (item.is(value_type::boolean)) return append(item.as_bool() ? "1" : "0");
            if (is_whole(item)) return append(in_base(item, 2, false));
            return fail(refused("only integers and bools can be formatted as binary", item));
        case 'x':
        case 'X':
            if (is_whole(item)) return append(in_base(item, 16, letter == 'X'));
            if (item.is(value_type::string) || item.is(value_type::bytes))
                return append(hex_of(item.as_string(), letter == 'X'));
            return fail(refused("only integers, byte buffers, and strings can be formatted as hex", item));
        case 'o':
            if (is_whole(item)) return append(in_base(item, 8, false));
            return fail(refused("octal clause can only be used on integers", item));
        default:
            return fail(make_error(std::string("could not parse formatting clause: unrecognized formatting clause \"") +
                                   letter + '"'));
        }
    }

    bool real_clause(const value& item, char letter, int digits)
    {
        double number = item.as_double();
        if (item.is(value_type::string) && item.as_string() == "NaN")
            number = std::nan("");
        else if (item.is(value_type::string) && item.as_string() == "Infinity")
            number = HUGE_VAL;
        else if (item.is(value_type::string) && item.as_string() == "-Infinity")
            number = -HUGE_VAL;
        else if (!item.is(value_type::real))
            return fail(refused(letter == 'f' ? "fixed-point clause can only be used on doubles"
                                              : "scientific clause can only be used on doubles",
                                item));
        return append(letter == 'f' ? write_fixed(number, digits) : write_scientific(number, digits));
    }

    bool text_clause(const value& item)
    {
        if (item.is(value_type::list)) return append_list(list_of(item));
        if (item.is(value_type::map)) return append_map(map_of(item));
        if (item.is(value_type::null)) return append("null");
        const auto* convert = find_function("string");
        const value text =
            item.is(value_type::opaque) || item.is(value_type::optional)
                ? refused("string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, "
                          "types, durations, and timestamps",
                          item)
                : convert->call(from_, {&item, 1});
        return is_error(text) ? fail(text) : append(text.as_string());
    }

    /// An item inside a list or a map, as an expression.
    bool append_inner(const value& item)
    {
        if (is_error(item)) return fail(item);
        switch (item.type()) {
        case value_type::string:
            return append(kubecoro::detail::go_quoted(item.as_string()));
        case value_type::bytes:
            return append("b" + kubecoro::detail::go_quoted(item.as_string()));
        case value_type::real:
            if (std::isfinite(item.as_double())) return append(fixed_text(item.as_double(), usual_precision));
            return append('"' + write_real(item.as_double()) + '"');
        case value_type::timestamp:
            return append("timestamp(\"" + write_instant(instant_of(item), item.as_string()) + "\")");
        case value_type::duration:
            return append(item.to_text());
        case value_type::opaque:
        case value_type::optional:
            return fail(
                make_error("error during formatting: no formatting function for " + std::string(type_name(item))));
        default:
            return text_clause(item);
        }
    }

    bool append_list(const list_data& list)
    {
        if (!append("[")) return false;
        bool is_first = true;
        for (const auto& item : list.items()) {
            if (!is_first && !append(", ")) return false;
            is_first = false;
            if (!append_inner(item)) return false;
        }
        return append("]");
    }

    bool append_map(const map_data& map)
    {
        std::vector<std::pair<std::string, const value*>> entries;
        for (const auto& entry : map.entries()) {
            std::string outer = std::exchange(out_, {});
            const bool good = append_inner(entry.key);
            entries.emplace_back(std::exchange(out_, std::move(outer)), &entry.item);
            if (!good) return false;
        }
        std::stable_sort(entries.begin(), entries.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        if (!append("{")) return false;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if (!append((i > 0 ? ", " : "") + entries[i].first + ":")) return false;
            if (!append_inner(*entries[i].second)) return false;
        }
        return append("}");
    }

    resources& from_;
    const std::vector<value>& items_;
    std::size_t next_ = 0;
    std::string out_;
    value failed_;
};

} // namespace

value format_text(resources& from, std::string_view pattern, const std::vector<value>& items)
{
    return formatter(from, items).format(pattern);
}

} // namespace kubecoro::cel::detail
