#include "render/json_path.hpp"

#include "render/json_text.hpp"

#include <charconv>
#include <optional>

namespace kubecoro::apiserver {
namespace {

std::string_view unquoted(std::string_view text)
{
    if (text.size() >= 2 && (text.front() == '\'' || text.front() == '"') && text.back() == text.front())
        return text.substr(1, text.size() - 2);
    return text;
}

/// Removes the leading bracket expression from `path` and returns the text inside the brackets.
std::optional<std::string_view> take_bracket(std::string_view& path)
{
    char quote = 0;
    int depth = 0;
    for (std::size_t i = 0; i < path.size(); ++i) {
        const char c = path[i];
        if (quote) {
            if (c == quote) quote = 0;
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (c == '[') {
            ++depth;
        } else if (c == ']' && --depth == 0) {
            const auto inside = path.substr(1, i - 1);
            path.remove_prefix(i + 1);
            return inside;
        }
    }
    return {};
}

/// Evaluates a filter such as `?(@.type=="Ready")` on one item.
bool passes(std::string_view filter, const json::value& item)
{
    filter = filter.substr(2, filter.size() - 3);
    const auto equals = filter.find("==");
    if (!filter.starts_with("@") || equals == std::string_view::npos) return false;
    auto left = filter.substr(1, equals - 1), right = filter.substr(equals + 2);
    while (!left.empty() && left.back() == ' ') left.remove_suffix(1);
    while (!right.empty() && right.front() == ' ') right.remove_prefix(1);
    const auto* found = find_json_path(item, left);
    return found && scalar_text(*found) == unquoted(right);
}

const json::value* in_bracket(const json::value& v, std::string_view inside, std::string_view rest)
{
    if (const auto* object = v.if_object()) {
        const auto* member = object->if_contains(unquoted(inside));
        return member ? find_json_path(*member, rest) : nullptr;
    }
    const auto* array = v.if_array();
    if (!array) return nullptr;
    const bool filter = inside.starts_with("?(") && inside.ends_with(')');
    if (inside == "*" || filter) {
        for (const auto& item : *array)
            if (!filter || passes(inside, item))
                if (const auto* found = find_json_path(item, rest)) return found;
        return nullptr;
    }
    std::size_t index = 0;
    const auto [end, ec] = std::from_chars(inside.data(), inside.data() + inside.size(), index);
    if (ec != std::errc{} || end != inside.data() + inside.size() || index >= array->size()) return nullptr;
    return find_json_path((*array)[index], rest);
}

} // namespace

const json::value* find_json_path(const json::value& v, std::string_view path)
{
    if (path.empty() || path == ".") return &v;
    if (path.front() == '[') {
        const auto inside = take_bracket(path);
        return inside ? in_bracket(v, *inside, path) : nullptr;
    }
    if (path.front() == '.') path.remove_prefix(1);
    std::string name;
    std::size_t at = 0;
    for (; at < path.size() && path[at] != '.' && path[at] != '['; ++at) {
        if (path[at] == '\\' && at + 1 < path.size()) ++at;
        name += path[at];
    }
    const auto* object = v.if_object();
    const auto* member = object ? object->if_contains(name) : nullptr;
    return member ? find_json_path(*member, path.substr(at)) : nullptr;
}

} // namespace kubecoro::apiserver
