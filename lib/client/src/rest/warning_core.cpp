#include "rest/warning_core.hpp"

#include <kubecoro/base/printable.hpp>

#include <algorithm>
#include <optional>

namespace kubecoro::detail {

namespace {

constexpr std::size_t most_seen = 1000;
// A kube-apiserver cuts a warning at 256 characters when there are many.
constexpr std::size_t longest_text = 1024;
constexpr std::string_view passed_on = "299";

void skip_blanks(std::string_view& rest) { rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(" \t"))); }

/// Takes the word up to a blank.
std::string_view take_word(std::string_view& rest)
{
    const auto word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(word.size());
    skip_blanks(rest);
    return word;
}

/// Takes a text in double quotes, in which a backslash precedes a character that stands for itself.
std::optional<std::string> take_quoted(std::string_view& rest)
{
    if (!rest.starts_with('"')) return std::nullopt;
    std::string text;
    for (std::size_t i = 1; i < rest.size(); ++i) {
        if (rest[i] == '"') {
            rest.remove_prefix(i + 1);
            skip_blanks(rest);
            return text;
        }
        if (rest[i] == '\\' && ++i == rest.size()) return std::nullopt;
        text += rest[i];
    }
    return std::nullopt;
}

} // namespace

std::vector<std::string> parse_warnings(std::string_view header)
{
    std::vector<std::string> out;
    skip_blanks(header);
    while (!header.empty()) {
        const auto code = take_word(header);
        const auto agent = take_word(header);
        const auto text = take_quoted(header);
        if (agent.empty() || !text) break;
        if (header.starts_with('"') && !take_quoted(header)) break;
        if (!header.empty() && !header.starts_with(',')) break;
        header.remove_prefix(header.empty() ? 0 : 1);
        skip_blanks(header);
        if (code == passed_on) out.push_back(printable(*text, longest_text));
    }
    return out;
}

bool seen_warnings::is_new(const std::string& text)
{
    if (seen_.size() >= most_seen && !seen_.contains(text)) seen_.clear();
    return seen_.insert(text).second;
}

} // namespace kubecoro::detail
