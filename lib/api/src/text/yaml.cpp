#include <kubecoro/api/yaml.hpp>

#include <kubecoro/api/detail/written_json.hpp>

#include <boost/json/value.hpp>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace kubecoro {

namespace json = boost::json;

namespace {

using detail::scalar_text;
using detail::to_json_line;

/// Values below it are written in one line, as JSON is: a deep object would be many times its size otherwise.
constexpr std::size_t widest_indent = 64;
/// Readers look for the ":" behind a key in 1,024 characters and no further; a "?" before the key says that there is one.
constexpr std::size_t longest_simple_key = 1000;

/// Characters that JSON may have as they are and YAML may not: U+FEFF, which begins a text, U+FFFE and U+FFFF.
constexpr std::string_view no_yaml[] = {"\xEF\xBB\xBF", "\xEF\xBF\xBE", "\xEF\xBF\xBF"};
constexpr std::string_view escapes[] = {"\\ufeff", "\\ufffe", "\\uffff"};

bool needs_escapes(std::string_view text)
{
    return detail::needs_escapes(text) ||
           std::any_of(std::begin(no_yaml), std::end(no_yaml), [&](auto c) { return text.find(c) != text.npos; });
}

/// Words that YAML 1.1 reads as booleans or null, in lower case.
bool is_reserved(std::string word)
{
    std::transform(word.begin(), word.end(), word.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    for (const char* reserved : {"", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n"})
        if (word == reserved) return true;
    return false;
}

/// Whether a reader could take it for a number, a time, or a base-60 number.
bool looks_like_a_number(std::string_view text)
{
    const char first = text.front();
    const bool begins = (first >= '0' && first <= '9') || first == '.' || first == '-' || first == '+';
    return begins && text.find_first_not_of("0123456789abcdefABCDEFxXoO_+-.:tTzZ ninfNIA") == text.npos;
}

bool is_plain(std::string_view text)
{
    if (is_reserved(std::string(text)) || looks_like_a_number(text)) return false;
    if (text.starts_with("...")) return false; // ends a document
    if (std::string_view("-?:,[]{}#&*!|>'\"%@` =<").find(text.front()) != std::string_view::npos) return false;
    if (text.back() == ' ' || text.back() == ':') return false;
    return text.find(": ") == text.npos && text.find(" #") == text.npos && !needs_escapes(text);
}

/// Whether a literal block can hold it: lines of printable text, the first without leading space.
bool fits_block(std::string_view text)
{
    if (text.find('\n') == text.npos || text.front() == ' ' || text.front() == '\n') return false;
    std::string without(text);
    std::erase(without, '\n');
    return !without.empty() && !needs_escapes(without);
}

std::string quoted_text(std::string_view text)
{
    auto out = to_json_line(json::value(json::string_view(text.data(), text.size())));
    for (std::size_t i = 0; i < std::size(no_yaml); ++i)
        for (auto at = out.find(no_yaml[i]); at != out.npos; at = out.find(no_yaml[i], at))
            out.replace(at, no_yaml[i].size(), escapes[i]);
    return out;
}

/// A number, boolean or null. YAML 1.1 has no number with an exponent and without a point.
std::string plain_text(const json::value& v)
{
    auto out = scalar_text(v);
    if (v.is_double() && out.find('.') == out.npos)
        if (const auto e = out.find('e'); e != out.npos) out.insert(e, ".0");
    return out;
}

/// A value in one line, in brackets.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the value
void append_line(std::string& out, const json::value& v)
{
    if (const auto* text = v.if_string()) {
        out += quoted_text({text->data(), text->size()});
    } else if (const auto* array = v.if_array()) {
        out += '[';
        for (const auto& item : *array) {
            if (&item != array->data()) out += ',';
            append_line(out, item);
        }
        out += ']';
    } else if (const auto* object = v.if_object()) {
        out += '{';
        for (const auto& member : *object) {
            if (&member != object->begin()) out += ',';
            const auto key = quoted_text({member.key().data(), member.key().size()});
            out += (key.size() > longest_simple_key ? "? " : "") + key + ":";
            append_line(out, member.value());
        }
        out += '}';
    } else {
        out += plain_text(v);
    }
}

void append_block(std::string& out, std::string_view text, const std::string& indent)
{
    const bool ends = text.ends_with('\n');
    const bool ends_twice = text.ends_with("\n\n");
    out += ends_twice ? "|+" : ends ? "|" : "|-";
    if (ends) text.remove_suffix(1);
    for (std::size_t begin = 0; begin <= text.size();) {
        const auto end = std::min(text.find('\n', begin), text.size());
        const auto line = text.substr(begin, end - begin);
        out += '\n';
        if (!line.empty()) out.append(indent).append(line);
        begin = end + 1;
    }
    out += '\n';
}

std::string key_text(std::string_view key)
{
    return !key.empty() && is_plain(key) ? std::string(key) : quoted_text(key);
}

class writer
{
public:
    /// Appends a value after "key:" or "-", with the line's end.
    void value(const json::value& v, const std::string& indent)
    {
        if (const auto* text = v.if_string()) {
            const std::string_view view(text->data(), text->size());
            out += ' ';
            if (indent.size() <= widest_indent && fits_block(view))
                return append_block(out, view, indent.empty() ? "  " : indent);
            out += (!view.empty() && is_plain(view) ? std::string(view) : quoted_text(view)) + "\n";
        } else if (v.is_structured() && indent.size() > widest_indent) {
            out += ' ';
            append_line(out, v);
            out += '\n';
        } else if (v.is_object() && !v.get_object().empty()) {
            out += '\n';
            members(v.get_object(), indent, indent);
        } else if (v.is_array() && !v.get_array().empty()) {
            out += '\n';
            items(v.get_array(), indent);
        } else {
            out += ' ' + plain_text(v) + '\n';
        }
    }

    /// @param first  Put before the first member in place of the indent.
    void members(const json::object& object, const std::string& first, const std::string& indent)
    {
        bool begun = false;
        for (const auto& member : object) {
            out += begun ? indent : first;
            begun = true;
            const auto key = member.key();
            const auto name = key_text({key.data(), key.size()});
            if (name.size() > longest_simple_key)
                out += "? " + name + '\n' + indent + ":";
            else
                out += name + ":";
            // Lists are not indented below their key, as kubectl writes them.
            const bool list = member.value().is_array() && !member.value().get_array().empty();
            value(member.value(), list ? indent : indent + "  ");
        }
    }

    void items(const json::array& array, const std::string& indent)
    {
        for (const auto& item : array) {
            const bool nests = item.is_object() && !item.get_object().empty();
            if (nests && indent.size() < widest_indent) {
                members(item.get_object(), indent + "- ", indent + "  ");
            } else {
                out += indent + "-";
                value(item, indent + "  ");
            }
        }
    }

    std::string out;
};

} // namespace

std::string to_yaml(const json::value& v)
{
    writer w;
    if (v.is_object() && !v.get_object().empty()) {
        w.members(v.get_object(), "", "");
        return w.out;
    }
    if (v.is_array() && !v.get_array().empty()) {
        w.items(v.get_array(), "");
        return w.out;
    }
    w.value(v, "");
    return w.out.substr(1);
}

} // namespace kubecoro
