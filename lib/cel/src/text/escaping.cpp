#include "text/escaping.hpp"

#include <algorithm>
#include <array>

namespace kubecoro::cel::detail {

namespace {

constexpr std::array<std::string_view, 21> reserved_words{
    "true", "false",  "null", "in",   "as",      "break",     "const",  "continue", "else", "for",  "function",
    "if",   "import", "let",  "loop", "package", "namespace", "return", "var",      "void", "while"};

struct escaped_part
{
    std::string_view part;
    std::string_view word;
};

constexpr std::array<escaped_part, 4> escaped_parts{
    {{"__", "underscores"}, {".", "dot"}, {"-", "dash"}, {"/", "slash"}}};

bool is_word_character(char c) noexcept
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Appends what a word between double underscores means. `whole`: nothing else is in the name.
bool append_unescaped(std::string& out, std::string_view word, bool whole)
{
    for (const auto& escaped : escaped_parts)
        if (escaped.word == word) {
            out += escaped.part;
            return true;
        }
    out += word;
    return whole && is_reserved(word);
}

} // namespace

bool is_reserved(std::string_view word) noexcept
{
    return std::find(reserved_words.begin(), reserved_words.end(), word) != reserved_words.end();
}

std::optional<std::string> escape_name(std::string_view name)
{
    if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return std::nullopt;
    if (is_reserved(name)) return "__" + std::string(name) + "__";
    std::string out;
    while (!name.empty()) {
        const auto found = std::find_if(escaped_parts.begin(), escaped_parts.end(),
                                        [name](const auto& escaped) { return name.starts_with(escaped.part); });
        if (found != escaped_parts.end()) {
            out.append("__").append(found->word).append("__");
            name.remove_prefix(found->part.size());
            continue;
        }
        if (!is_word_character(name[0])) return std::nullopt;
        out += name[0];
        name.remove_prefix(1);
    }
    return out;
}

std::optional<std::string> unescape_name(std::string_view identifier)
{
    std::string out;
    std::string_view rest = identifier;
    while (!rest.empty()) {
        const auto begin = rest.find("__");
        if (begin == std::string_view::npos) break;
        const auto word_end = rest.find('_', begin + 2);
        const bool is_word =
            word_end != std::string_view::npos && word_end > begin + 2 && rest.substr(word_end, 2) == "__";
        if (!is_word) {
            // The match may begin one character later.
            out += rest.substr(0, begin + 1);
            rest.remove_prefix(begin + 1);
            continue;
        }
        out += rest.substr(0, begin);
        const auto word = rest.substr(begin + 2, word_end - begin - 2);
        if (!append_unescaped(out, word, word.size() + 4 == identifier.size())) return std::nullopt;
        rest.remove_prefix(word_end + 2);
    }
    out += rest;
    return out;
}

} // namespace kubecoro::cel::detail
