#include "text/json_text.hpp"

#include <kubecoro/api/detail/utf8.hpp>

#include <boost/json/parser.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace kubecoro::apiserver {

void append_quoted(std::string& out, std::string_view text)
{
    if (!detail::is_utf8(text)) return append_quoted(out, detail::valid_utf8(text));
    static constexpr char hex[] = "0123456789abcdef";
    out += '"';
    std::size_t done = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        // U+2028 and U+2029 are escaped as well: e2 80 a8 and e2 80 a9.
        const bool separator = c == 0xe2 && i + 2 < text.size() && static_cast<unsigned char>(text[i + 1]) == 0x80 &&
                               (static_cast<unsigned char>(text[i + 2]) & 0xfe) == 0xa8;
        if (c >= 0x20 && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&' && !separator) continue;
        out.append(text, done, i - done);
        done = i + 1;
        switch (c) {
        case '"':
            out += "\\\"";
            break;
        case '\\':
            out += "\\\\";
            break;
        case '\n':
            out += "\\n";
            break;
        case '\r':
            out += "\\r";
            break;
        case '\t':
            out += "\\t";
            break;
        case '\b':
            out += "\\b";
            break;
        case '\f':
            out += "\\f";
            break;
        case 0xe2:
            out += "\\u202";
            out += static_cast<unsigned char>(text[i + 2]) == 0xa8 ? '8' : '9';
            i += 2;
            done = i + 1;
            break;
        default:
            out += "\\u00";
            out += hex[c >> 4];
            out += hex[c & 15];
        }
    }
    out.append(text, done);
    out += '"';
}

std::string quoted_list(const std::vector<std::string>& texts)
{
    std::string out = "[";
    for (const auto& t : texts) out += (out.size() > 1 ? " " : "") + quote(t);
    return out + "]";
}

std::string quote(std::string_view text)
{
    std::string out;
    append_quoted(out, text);
    return out;
}

namespace {

void append_double(std::string& out, double d)
{
    if (!std::isfinite(d)) {
        out += "null";
        return;
    }
    std::array<char, 512> buffer;
    const double magnitude = std::fabs(d);
    const bool scientific = magnitude != 0 && (magnitude < 1e-6 || magnitude >= 1e21);
    const auto [end, ec] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), d,
                                         scientific ? std::chars_format::scientific : std::chars_format::fixed);
    out.append(buffer.data(), end);
}

} // namespace

void append_json(std::string& out, const json::value& v)
{
    switch (v.kind()) {
    case json::kind::null:
        out += "null";
        break;
    case json::kind::bool_:
        out += v.get_bool() ? "true" : "false";
        break;
    case json::kind::int64:
        out += std::to_string(v.get_int64());
        break;
    case json::kind::uint64:
        out += std::to_string(v.get_uint64());
        break;
    case json::kind::double_:
        append_double(out, v.get_double());
        break;
    case json::kind::string:
        append_quoted(out, v.get_string());
        break;
    case json::kind::array: {
        char separator = '[';
        for (const auto& item : v.get_array()) {
            out += separator;
            append_json(out, item);
            separator = ',';
        }
        out += separator == '[' ? "[]" : "]";
        break;
    }
    case json::kind::object: {
        char separator = '{';
        for (const auto& [key, member] : v.get_object()) {
            out += separator;
            append_quoted(out, key);
            out += ':';
            append_json(out, member);
            separator = ',';
        }
        out += separator == '{' ? "{}" : "}";
        break;
    }
    }
}

std::string to_text(const json::value& v)
{
    std::string out;
    append_json(out, v);
    return out;
}

void json_indenter::line(std::string& out) const
{
    // Bounded: with deep nesting the indentation would be many times the size of the text.
    constexpr std::size_t deepest = 32;
    out += '\n';
    out.append(2 * std::min(depth_, deepest), ' ');
}

void json_indenter::feed(std::string& out, std::string_view part)
{
    for (const char c : part) {
        if (in_string_) {
            out += c;
            in_string_ = escaped_ || c != '"';
            escaped_ = !escaped_ && c == '\\';
            continue;
        }
        if (c == ' ' || c == '\n' || c == '\t' || c == '\r') continue;
        const bool closes = c == '}' || c == ']';
        if (closes) depth_ -= depth_ > 0 ? 1 : 0;
        if (opened_ != closes) line(out);
        opened_ = c == '{' || c == '[';
        out += c;
        if (opened_) ++depth_;
        if (c == '"') in_string_ = true;
        if (c == ',') line(out);
        if (c == ':') out += ' ';
    }
}

std::string indent_json(std::string_view compact)
{
    std::string out;
    out.reserve(compact.size() + compact.size() / 2);
    json_indenter{}.feed(out, compact);
    return out;
}

namespace {

/// Formats a byte as Go does: as the code point of that value, so that the message stays UTF-8.
std::string character(char c)
{
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) return {c};
    return {static_cast<char>(0xC0 | (byte >> 6)), static_cast<char>(0x80 | (byte & 0x3F))};
}

} // namespace

boost::system::result<json::value, detail::problem_words> parse_json(std::string_view text, std::size_t max_depth)
{
    using outcome = boost::system::result<json::value, detail::problem_words>;
    const auto end_of_input = [] { return outcome(boost::system::in_place_error, "unexpected end of JSON input"); };
    json::parse_options options;
    options.max_depth = max_depth;
    json::parser parser({}, options);
    boost::system::error_code ec;
    const std::size_t read = parser.write_some(text.data(), text.size(), ec);
    if (ec == json::error::incomplete) return end_of_input();
    if (ec == json::error::too_deep) return {boost::system::in_place_error, "exceeded max depth"};
    if (ec) {
        if (read >= text.size()) return end_of_input();
        // Boost stops at or just before the invalid character.
        std::size_t at = read;
        while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r')) ++at;
        if (at >= text.size()) return end_of_input();
        const auto before = at == 0 ? std::string_view::npos : text.find_last_not_of(" \t\r\n", at - 1);
        const bool key = before != std::string_view::npos && text[before] == '{';
        return {boost::system::in_place_error, "invalid character '" + character(text[at]) +
                                                   "' looking for beginning of " +
                                                   (key ? "object key string" : "value")};
    }
    const auto rest = text.find_first_not_of(" \t\r\n", read);
    if (rest != std::string_view::npos)
        return {boost::system::in_place_error,
                "invalid character '" + character(text[rest]) + "' after top-level value"};
    return parser.release();
}

json::value parse_trusted(std::string_view text)
{
    auto parsed = parse_json(text, 10'000);
    // Callers rely on the value: a null in its place would be taken for an object.
    if (!parsed) throw std::logic_error("the embedded server wrote text that is not JSON: " + parsed.error());
    return std::move(*parsed);
}

const json::value* find_at(const json::value& v, std::string_view dotted)
{
    const json::value* at = &v;
    while (true) {
        const auto dot = dotted.find('.');
        const auto* object = at->if_object();
        at = object ? object->if_contains(dotted.substr(0, dot)) : nullptr;
        if (!at || dot == std::string_view::npos) return at;
        dotted.remove_prefix(dot + 1);
    }
}

std::string_view text_at(const json::value& v, std::string_view dotted)
{
    const auto* found = find_at(v, dotted);
    return found && found->is_string() ? std::string_view(found->get_string()) : std::string_view{};
}

std::int64_t int_at(const json::value& v, std::string_view dotted, std::int64_t otherwise)
{
    const auto* found = find_at(v, dotted);
    if (!found) return otherwise;
    if (found->is_int64()) return found->get_int64();
    if (!found->is_double() || std::fabs(found->get_double()) > 9e15) return otherwise;
    return static_cast<std::int64_t>(found->get_double());
}

const json::array* array_at(const json::value& v, std::string_view dotted)
{
    const auto* found = find_at(v, dotted);
    return found ? found->if_array() : nullptr;
}

const json::object* object_at(const json::value& v, std::string_view dotted)
{
    const auto* found = find_at(v, dotted);
    return found ? found->if_object() : nullptr;
}

json::array to_array(const std::vector<std::string>& texts)
{
    json::array out;
    for (const auto& t : texts) out.push_back(json::value(std::string_view(t)));
    return out;
}

std::string scalar_text(const json::value& v)
{
    if (v.is_null()) return {};
    if (v.is_string()) return std::string(v.get_string());
    return to_text(v);
}

json::object& object_member(json::object& parent, std::string_view key)
{
    auto& member = parent[key];
    if (!member.is_object()) member = json::object{};
    return member.get_object();
}

void default_member(json::object& parent, std::string_view key, json::value v)
{
    auto& member = parent[key];
    if (member.is_null()) member = std::move(v);
}

void erase_members(json::object& from, const std::function<bool(std::string_view)>& doomed)
{
    if (std::none_of(from.begin(), from.end(), [&](const auto& m) { return doomed(m.key()); })) return;
    json::object kept;
    kept.reserve(from.size());
    for (auto& m : from)
        if (!doomed(m.key())) kept.emplace(m.key(), std::move(m.value()));
    from = std::move(kept);
}

void sort_members(json::object& o)
{
    const auto by_key = [](const auto& a, const auto& b) { return a.key() < b.key(); };
    if (std::is_sorted(o.begin(), o.end(), by_key)) return;
    std::vector<std::pair<std::string, json::value>> members;
    members.reserve(o.size());
    for (auto& m : o) members.emplace_back(std::string(m.key()), std::move(m.value()));
    std::sort(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    o.clear();
    for (auto& [key, member] : members) o.emplace(key, std::move(member));
}

void sort_deep(json::value& v)
{
    if (auto* array = v.if_array()) {
        for (auto& item : *array) sort_deep(item);
    } else if (auto* object = v.if_object()) {
        for (auto& member : *object) sort_deep(member.value());
        sort_members(*object);
    }
}

std::string format_time(wall_time t)
{
    using namespace std::chrono;
    const auto day = floor<days>(t);
    const year_month_day date{day};
    const hh_mm_ss time{floor<seconds>(t - day)};
    std::array<char, 40> buffer;
    const int written = std::snprintf(
        buffer.data(), buffer.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
        static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), static_cast<int>(time.hours().count()),
        static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()));
    return {buffer.data(), static_cast<std::size_t>(written)};
}

bool parse_time(std::string_view text, wall_time& out)
{
    using namespace std::chrono;
    if (text.size() < 20 || text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != 't')) return false;
    const auto number = [&](std::size_t at, std::size_t length) {
        int value = -1;
        const auto* first = text.data() + at;
        const auto [end, ec] = std::from_chars(first, first + length, value);
        return ec == std::errc{} && end == first + length ? value : -1;
    };
    const int y = number(0, 4), mo = number(5, 2), d = number(8, 2), h = number(11, 2), mi = number(14, 2),
              s = number(17, 2);
    // The years that a system_clock in nanoseconds can represent.
    if (y < 1700 || y > 2200 || h < 0 || mi < 0 || s < 0 || h > 23 || mi > 59 || s > 60) return false;
    const year_month_day date{year{y}, month{static_cast<unsigned>(mo)}, day{static_cast<unsigned>(d)}};
    if (mo < 1 || d < 1 || !date.ok()) return false;
    std::size_t zone = text.find_first_of("Zz+-", 19);
    if (zone == std::string_view::npos) return false;
    auto t = sys_days{date} + hours{h} + minutes{mi} + seconds{s};
    if (text[zone] == '+' || text[zone] == '-') {
        if (text.size() != zone + 6) return false;
        const auto offset = hours{number(zone + 1, 2)} + minutes{number(zone + 4, 2)};
        t += text[zone] == '+' ? -offset : offset;
    }
    out = t;
    return true;
}

namespace {

constexpr std::size_t of_members(std::size_t count) { return count * count / 2; }

} // namespace

std::size_t key_comparisons(const boost::json::value& v)
{
    std::size_t sum = 0;
    if (const auto* items = v.if_array())
        for (const auto& item : *items) sum += key_comparisons(item);
    if (const auto* object = v.if_object()) {
        sum += of_members(object->size());
        for (const auto& member : *object) sum += key_comparisons(member.value());
    }
    return sum;
}

} // namespace kubecoro::apiserver
