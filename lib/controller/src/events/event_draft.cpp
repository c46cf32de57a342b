#include "events/event_draft.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace kubecoro::detail {
namespace {

// The limits of the events API.
constexpr std::size_t max_reason = 128;
constexpr std::size_t longest_note = 1024;
constexpr std::size_t max_name = 253;
constexpr std::size_t max_qualified_part = 63;
/// Hexadecimal digits of the largest stamp.
constexpr std::size_t stamp_digits = 16;

bool is_lower_alnum(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_alnum(char c) { return is_lower_alnum(c) || (c >= 'A' && c <= 'Z'); }

/// A DNS subdomain: labels of lower-case letters, digits and inner dashes.
bool is_subdomain(std::string_view name)
{
    char before = '.';
    for (const char c : name) {
        if (c == '.' ? !is_lower_alnum(before) : !is_lower_alnum(c) && (c != '-' || before == '.')) return false;
        before = c;
    }
    return is_lower_alnum(before);
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

/// Length of the UTF-8 character at the beginning of the text; 0 = none.
std::size_t character_length(std::string_view text)
{
    const auto first = static_cast<unsigned char>(text.front());
    if (first < 0x80U) return 1;
    if (first < 0xc2U || first > 0xf4U) return 0;
    const std::size_t length = first < 0xe0U ? 2 : first < 0xf0U ? 3 : 4;
    if (text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if (!is_continuation(text[i])) return 0;
    const auto second = static_cast<unsigned char>(text[1]);
    const bool overlong = (first == 0xe0U && second < 0xa0U) || (first == 0xf0U && second < 0x90U);
    const bool beyond = (first == 0xedU && second >= 0xa0U) || (first == 0xf4U && second >= 0x90U);
    return overlong || beyond ? 0 : length;
}

/// Lengths before the texts: no text can be taken for the end of one and the beginning of the next.
void append(std::string& key, std::string_view text)
{
    key += std::to_string(text.size());
    key += ':';
    key += text;
}

} // namespace

std::string clean_text(std::string_view text, std::size_t most)
{
    std::string out;
    out.reserve(std::min(text.size(), most));
    while (!text.empty()) {
        const std::size_t length = character_length(text);
        if (out.size() + std::max<std::size_t>(length, 1) > most) break;
        if (length == 0)
            out += '?';
        else
            out += text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out;
}

std::string qualified_name(std::string_view text)
{
    const auto slash = text.find('/');
    std::string prefix = slash == std::string_view::npos ? std::string() : std::string(text.substr(0, slash));
    if (prefix.size() > max_name || !is_subdomain(prefix)) prefix.clear();
    std::string name(slash == std::string_view::npos ? text : text.substr(slash + 1));
    for (char& c : name)
        if (!is_alnum(c) && c != '-' && c != '_' && c != '.') c = '-';
    name.resize(std::min(name.size(), max_qualified_part));
    while (!name.empty() && !is_alnum(name.back())) name.pop_back();
    while (!name.empty() && !is_alnum(name.front())) name.erase(0, 1);
    if (name.empty()) name = "kubecoro";
    return prefix.empty() ? name : prefix + '/' + name;
}

std::string event_name(std::string_view object_name, std::uint64_t stamp)
{
    std::array<char, stamp_digits> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), stamp, 16).ptr;
    const std::string_view number(digits.data(), static_cast<std::size_t>(end - digits.data()));
    const bool fits = object_name.size() + 1 + number.size() <= max_name && is_subdomain(object_name);
    return (fits ? std::string(object_name) : std::string("event")).append(".").append(number);
}

std::optional<event_draft> make_draft(const event_target& regarding, event_type type, std::string_view reason,
                                      std::string_view action, std::string_view note, const event_target& related)
{
    if (regarding.name.empty() || regarding.kind.empty() || reason.empty()) return std::nullopt;
    event_draft d{.regarding = regarding, .related = related, .type = type};
    d.reason = clean_text(reason, max_reason);
    d.action = clean_text(action.empty() ? reason : action, max_reason);
    d.note = clean_text(note, longest_note);
    return d;
}

std::string target_key(const event_target& t)
{
    std::string key;
    for (const auto* text : {&t.api_version, &t.kind, &t.ns, &t.name, &t.uid}) append(key, *text);
    return key;
}

std::string similarity_key(const event_draft& d)
{
    std::string key = target_key(d.regarding) + target_key(d.related);
    append(key, d.regarding.field_path);
    append(key, d.reason);
    append(key, d.action);
    key += d.type == event_type::warning ? 'w' : 'n';
    return key;
}

} // namespace kubecoro::detail
