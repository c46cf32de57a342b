#include "library/format_text.hpp"
#include "library/functions.hpp"
#include "text/runes.hpp"

#include <algorithm>
#include <limits>

namespace kubecoro::cel::detail {

namespace {

bool are_texts(arguments in, std::size_t count)
{
    if (in.size() < count) return false;
    return std::all_of(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(count),
                       [](const value& each) { return each.is(value_type::string); });
}

value out_of_range(std::int64_t index) { return make_error("index out of range: " + std::to_string(index)); }

value size(resources&, arguments in)
{
    const auto count = [](std::size_t number) { return value::of_int(static_cast<std::int64_t>(number)); };
    switch (in[0].type()) {
    case value_type::string:
        return count(count_runes(in[0].as_string()));
    case value_type::bytes:
        return count(in[0].as_string().size());
    case value_type::list:
        return count(list_of(in[0]).items().size());
    case value_type::map:
        return count(map_of(in[0]).size());
    default:
        return no_such_overload();
    }
}

value contains_text(resources&, arguments in)
{
    if (!are_texts(in, 2)) return no_such_overload();
    return value(in[0].as_string().find(in[1].as_string()) != std::string_view::npos);
}

value starts_with(resources&, arguments in)
{
    return are_texts(in, 2) ? value(in[0].as_string().starts_with(in[1].as_string())) : no_such_overload();
}

value ends_with(resources&, arguments in)
{
    return are_texts(in, 2) ? value(in[0].as_string().ends_with(in[1].as_string())) : no_such_overload();
}

/// A part of a text, which refers to it.
value part_of(const value& whole, std::size_t begin, std::size_t end)
{
    return make_part(whole.as_string().substr(begin, end - begin), whole.held());
}

value char_at(resources&, arguments in)
{
    if (!are_texts(in, 1) || in.size() < 2 || !in[1].is(value_type::integer)) return no_such_overload();
    const auto text = in[0].as_string();
    const auto index = in[1].as_int();
    if (index < 0 || std::cmp_greater(index, count_runes(text))) return out_of_range(index);
    const auto begin = offset_of_rune(text, static_cast<std::size_t>(index));
    return part_of(in[0], begin, begin == text.size() ? begin : begin + first_rune(text.substr(begin)).size);
}

value substring(resources&, arguments in)
{
    if (!are_texts(in, 1) || in.size() < 2 || !in[1].is(value_type::integer)) return no_such_overload();
    const auto text = in[0].as_string();
    const auto count = static_cast<std::int64_t>(count_runes(text));
    const auto start = in[1].as_int();
    auto end = count;
    if (in.size() > 2) {
        if (!in[2].is(value_type::integer)) return no_such_overload();
        end = in[2].as_int();
        if (start > end)
            return make_error("invalid substring range. start: " + std::to_string(start) +
                              ", end: " + std::to_string(end));
    }
    if (start < 0 || start > count) return out_of_range(start);
    if (end < 0 || end > count) return out_of_range(end);
    const auto begin = offset_of_rune(text, static_cast<std::size_t>(start));
    return part_of(in[0], begin, begin + offset_of_rune(text.substr(begin), static_cast<std::size_t>(end - start)));
}

value position(std::string_view text, std::size_t found)
{
    if (found == std::string_view::npos) return value::of_int(-1);
    return value::of_int(static_cast<std::int64_t>(count_runes(text.substr(0, found))));
}

value text_index(arguments in, std::int64_t offset)
{
    const auto text = in[0].as_string();
    const auto count = static_cast<std::int64_t>(count_runes(text));
    if (offset < 0) return out_of_range(offset);
    if (in[1].as_string().empty()) return value::of_int(std::min(offset, count));
    if (offset >= count) return value::of_int(-1);
    return position(text, text.find(in[1].as_string(), offset_of_rune(text, static_cast<std::size_t>(offset))));
}

value last_text_index(arguments in)
{
    const auto text = in[0].as_string();
    const auto count = static_cast<std::int64_t>(count_runes(text));
    const bool is_empty = in[1].as_string().empty();
    if (in.size() < 3) return is_empty ? value::of_int(count) : position(text, text.rfind(in[1].as_string()));
    if (!in[2].is(value_type::integer)) return no_such_overload();
    const auto offset = in[2].as_int();
    if (offset < 0) return out_of_range(offset);
    if (is_empty) return value::of_int(std::min(offset, count));
    if (offset >= count) return value::of_int(-1);
    return position(text, text.rfind(in[1].as_string(), offset_of_rune(text, static_cast<std::size_t>(offset))));
}

value index_of(resources& from, arguments in)
{
    if (in[0].is(value_type::list)) return list_index(from, in);
    if (!are_texts(in, 2)) return no_such_overload();
    if (in.size() > 2 && !in[2].is(value_type::integer)) return no_such_overload();
    return text_index(in, in.size() > 2 ? in[2].as_int() : 0);
}

value last_index_of(resources& from, arguments in)
{
    if (in[0].is(value_type::list)) return last_list_index(from, in);
    return are_texts(in, 2) ? last_text_index(in) : no_such_overload();
}

value change_letters(resources& from, arguments in, char first, char last, int shift)
{
    if (!are_texts(in, 1)) return no_such_overload();
    std::string out(in[0].as_string());
    for (char& c : out)
        if (c >= first && c <= last) c = static_cast<char>(c + shift);
    return make_text(from, std::move(out));
}

value lower(resources& from, arguments in) { return change_letters(from, in, 'A', 'Z', 'a' - 'A'); }
value upper(resources& from, arguments in) { return change_letters(from, in, 'a', 'z', 'A' - 'a'); }

/// Cuts a text into at most `most` parts. An empty separator cuts between all characters.
std::vector<std::string_view> cut(std::string_view text, std::string_view separator, std::int64_t most)
{
    std::vector<std::string_view> out;
    if (most == 0) return out;
    const auto limit = most < 0 ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(most);
    if (separator.empty()) {
        while (!text.empty() && out.size() + 1 < limit) {
            const auto taken = first_rune(text).size;
            out.push_back(text.substr(0, taken));
            text.remove_prefix(taken);
        }
        if (!text.empty()) out.push_back(text);
        return out;
    }
    while (out.size() + 1 < limit) {
        const auto at = text.find(separator);
        if (at == std::string_view::npos) break;
        out.push_back(text.substr(0, at));
        text.remove_prefix(at + separator.size());
    }
    out.push_back(text);
    return out;
}

value split(resources& from, arguments in)
{
    if (!are_texts(in, 2) || (in.size() > 2 && !in[2].is(value_type::integer))) return no_such_overload();
    std::vector<value> out;
    for (const auto part : cut(in[0].as_string(), in[1].as_string(), in.size() > 2 ? in[2].as_int() : -1))
        out.push_back(make_part(part, in[0].held()));
    return make_list(from, std::move(out));
}

/// The number of times that a text is in another one; an empty one is before each character and at the end.
std::uint64_t occurrences(std::string_view text, std::string_view wanted)
{
    if (wanted.empty()) return count_runes(text) + 1;
    std::uint64_t count = 0;
    for (auto at = text.find(wanted); at != std::string_view::npos; at = text.find(wanted, at + wanted.size())) ++count;
    return count;
}

value replace(resources& from, arguments in)
{
    if (!are_texts(in, 3) || (in.size() > 3 && !in[3].is(value_type::integer))) return no_such_overload();
    auto text = in[0].as_string();
    const auto old = in[1].as_string();
    const auto with = in[2].as_string();
    auto left = occurrences(text, old);
    if (in.size() > 3 && in[3].as_int() >= 0) left = std::min(left, static_cast<std::uint64_t>(in[3].as_int()));
    if (!from.take(text.size() + left * with.size())) return make_exhausted();
    std::string out;
    if (old.empty()) {
        for (; left > 0; --left) {
            out += with;
            if (text.empty()) break;
            const auto taken = first_rune(text).size;
            out += text.substr(0, taken);
            text.remove_prefix(taken);
        }
    }
    for (; left > 0 && !old.empty(); --left) {
        const auto at = text.find(old);
        out.append(text.substr(0, at)).append(with);
        text.remove_prefix(at + old.size());
    }
    out += text;
    return value(std::move(out));
}

bool is_space(char32_t point) noexcept
{
    return (point >= 9 && point <= 13) || point == 0x20 || point == 0x85 || point == 0xa0 || point == 0x1680 ||
           (point >= 0x2000 && point <= 0x200a) || point == 0x2028 || point == 0x2029 || point == 0x202f ||
           point == 0x205f || point == 0x3000;
}

value trim(resources&, arguments in)
{
    if (!are_texts(in, 1)) return no_such_overload();
    const auto text = in[0].as_string();
    std::size_t begin = text.size();
    std::size_t end = 0;
    for (std::size_t at = 0; at < text.size();) {
        const auto found = first_rune(text.substr(at));
        if (!is_space(found.point)) {
            begin = std::min(begin, at);
            end = at + found.size;
        }
        at += found.size;
    }
    return begin < end ? part_of(in[0], begin, end) : make_static("");
}

value join(resources& from, arguments in)
{
    if (!in[0].is(value_type::list) || (in.size() > 1 && !in[1].is(value_type::string))) return no_such_overload();
    const auto separator = in.size() > 1 ? in[1].as_string() : std::string_view{};
    std::string out;
    bool is_first = true;
    for (const auto& item : list_of(in[0]).items()) {
        if (is_error(item)) return item;
        if (!item.is(value_type::string)) return make_error("join: invalid input: " + item.to_text());
        if (!from.take(separator.size() + item.as_string().size())) return make_exhausted();
        if (!is_first) out += separator;
        is_first = false;
        out += item.as_string();
    }
    return value(std::move(out));
}

value quote(resources& from, arguments in)
{
    if (!are_texts(in, 1)) return no_such_overload();
    static constexpr std::string_view special = "\a\b\f\n\r\t\v\\\"";
    static constexpr std::string_view letters = "abfnrtv\\\"";
    std::string out = "\"";
    for (auto text = in[0].as_string(); !text.empty();) {
        const auto found = first_rune(text);
        if (const auto at = special.find(text[0]); at != std::string_view::npos)
            out.append(1, '\\').append(1, letters[at]);
        else
            append_rune(out, found.point);
        text.remove_prefix(found.size);
    }
    return make_text(from, out + '"');
}

value reverse(resources& from, arguments in)
{
    if (in[0].is(value_type::list)) return reversed_list(from, in);
    if (!are_texts(in, 1)) return no_such_overload();
    std::string out;
    const auto parts = split_runes(in[0].as_string());
    for (auto at = parts.rbegin(); at != parts.rend(); ++at) out += *at;
    return make_text(from, std::move(out));
}

value format(resources& from, arguments in)
{
    if (!are_texts(in, 1) || in.size() < 2 || !in[1].is(value_type::list)) return no_such_overload();
    return format_text(from, in[0].as_string(), list_of(in[1]).items());
}

constexpr function_entry string_entries[] = {
    {"size", size},
    {"contains", contains_text, call_cost::search},
    {"startsWith", starts_with, call_cost::scan_second},
    {"endsWith", ends_with, call_cost::scan_second},
    {"charAt", char_at},
    {"substring", substring, call_cost::scan},
    {"indexOf", index_of, call_cost::traverse},
    {"lastIndexOf", last_index_of, call_cost::traverse},
    {"lowerAscii", lower, call_cost::scan},
    {"upperAscii", upper, call_cost::scan},
    {"split", split, call_cost::scan_twice},
    {"replace", replace, call_cost::scan_twice},
    {"trim", trim, call_cost::scan},
    {"join", join, call_cost::join},
    {"strings.quote", quote, call_cost::scan},
    {"reverse", reverse, call_cost::make_list},
    {"format", format, call_cost::scan},
};

} // namespace

function_table string_functions() { return {string_entries}; }

} // namespace kubecoro::cel::detail
