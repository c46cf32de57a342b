#include <kubecoro/api/detail/label_rules.hpp>

#include <algorithm>

namespace kubecoro::detail {
namespace {

bool is_lower_or_digit(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_alphanumeric(char c) noexcept { return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z'); }

constexpr std::size_t longest_name = 63;
constexpr std::size_t longest_prefix = 253;
constexpr std::string_view key_rule =
    " must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view value_rule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

std::string too_long(std::size_t most) { return "must be no more than " + std::to_string(most) + " bytes"; }

/// The form of a name without its length.
bool is_name(std::string_view text) noexcept
{
    return !text.empty() && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
           std::all_of(text.begin(), text.end(),
                       [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

/// The form of a subdomain without its length.
bool is_subdomain(std::string_view text) noexcept
{
    if (text.empty()) return false;
    // Every part between dots starts and ends with a letter or digit.
    for (char before = '.'; !text.empty(); text.remove_prefix(1)) {
        const char c = text.front();
        const bool inner = c == '-' && before != '.';
        const bool dot = c == '.' && is_lower_or_digit(before);
        if (!is_lower_or_digit(c) && !inner && !dot) return false;
        if (text.size() == 1 && !is_lower_or_digit(c)) return false;
        before = c;
    }
    return true;
}

} // namespace

bool is_label_value(std::string_view text) noexcept
{
    return text.empty() || (text.size() <= longest_name && is_name(text));
}

bool is_label_key(std::string_view text) noexcept
{
    const auto slash = text.find('/');
    if (slash != std::string_view::npos) {
        if (slash > longest_prefix || !is_subdomain(text.substr(0, slash))) return false;
        text.remove_prefix(slash + 1);
    }
    return !text.empty() && is_label_value(text);
}

std::vector<std::string> label_value_problems(std::string_view text)
{
    std::vector<std::string> out;
    if (text.size() > longest_name) out.push_back(too_long(longest_name));
    if (!text.empty() && !is_name(text)) out.emplace_back(value_rule);
    return out;
}

std::vector<std::string> label_key_problems(std::string_view text)
{
    std::vector<std::string> out;
    const auto slash = text.find('/');
    if (slash != std::string_view::npos) {
        const auto prefix = text.substr(0, slash);
        text.remove_prefix(slash + 1);
        if (text.find('/') != std::string_view::npos)
            return {"a valid label key" + std::string(key_rule) +
                    " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
        if (prefix.empty()) out.emplace_back("prefix part must be non-empty");
        if (prefix.size() > longest_prefix) out.push_back("prefix part " + too_long(longest_prefix));
        if (!prefix.empty() && !is_subdomain(prefix)) out.push_back("prefix part " + std::string(subdomain_rule));
    }
    if (text.empty()) out.emplace_back("name part must be non-empty");
    if (text.size() > longest_name) out.push_back("name part " + too_long(longest_name));
    if (!is_name(text)) out.push_back("name part" + std::string(key_rule));
    return out;
}

} // namespace kubecoro::detail
