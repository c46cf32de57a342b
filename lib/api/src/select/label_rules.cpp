#include "select/label_rules.hpp"

#include <algorithm>

namespace kubecoro::detail {
namespace {

bool is_lower_or_digit(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_alphanumeric(char c) noexcept { return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z'); }

bool is_dns_subdomain(std::string_view text) noexcept
{
    if (text.empty() || text.size() > 253) return false;
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
    if (text.empty()) return true;
    if (text.size() > 63 || !is_alphanumeric(text.front()) || !is_alphanumeric(text.back())) return false;
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

bool is_label_key(std::string_view text) noexcept
{
    const auto slash = text.find('/');
    if (slash != std::string_view::npos) {
        if (!is_dns_subdomain(text.substr(0, slash))) return false;
        text.remove_prefix(slash + 1);
    }
    return !text.empty() && is_label_value(text);
}

} // namespace kubecoro::detail
