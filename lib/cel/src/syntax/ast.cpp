#include "syntax/ast.hpp"

#include "text/runes.hpp"

#include <algorithm>

namespace kubecoro::cel::detail {

std::string dotted_name(const tree& in, node_id id)
{
    std::vector<std::string_view> parts;
    for (const node* at = &in[id];; at = &in[in.children_of(*at)[0]]) {
        const bool is_name = at->kind == node_kind::identifier;
        if (!is_name && (at->kind != node_kind::select || at->flag)) return {};
        parts.push_back(in.name_of(*at));
        if (is_name) break;
    }
    std::string out;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        if (!out.empty()) out += '.';
        out += *part;
    }
    return out;
}

std::string located(std::string_view text, std::size_t at, std::string_view words)
{
    at = std::min(at, text.size());
    const auto before = text.substr(0, at);
    const auto line_number = std::count(before.begin(), before.end(), '\n') + 1;
    const auto begin = line_number == 1 ? 0 : before.rfind('\n') + 1;
    std::string line(text.substr(begin, text.substr(begin).find('\n')));
    std::replace(line.begin(), line.end(), '\t', ' ');
    const auto runes = split_runes(line);
    const auto column = count_runes(text.substr(begin, at - begin));
    std::string out = "ERROR: <input>:" + std::to_string(line_number) + ":" + std::to_string(column + 1) + ": ";
    out.append(words).append("\n | ").append(line).append("\n | ");
    // The marks are as wide as the characters above them.
    for (std::size_t i = 0; i < column; ++i) out += i < runes.size() && runes[i].size() > 1 ? "．" : ".";
    return out + (column < runes.size() && runes[column].size() > 1 ? "＾" : "^");
}

} // namespace kubecoro::cel::detail
