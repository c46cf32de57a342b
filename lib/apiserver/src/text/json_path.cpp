#include "text/json_path.hpp"

#include "text/json_text.hpp"

#include <algorithm>
#include <charconv>

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

/// Removes the leading name from `path`.
std::string take_name(std::string_view& path)
{
    if (path.front() == '.') path.remove_prefix(1);
    std::string name;
    std::size_t at = 0;
    for (; at < path.size() && path[at] != '.' && path[at] != '['; ++at) {
        if (path[at] == '\\' && at + 1 < path.size()) ++at;
        name += path[at];
    }
    path.remove_prefix(at);
    return name;
}

} // namespace

json_path::json_path(std::string_view text) : leads_somewhere_(text.size() <= longest)
{
    while (leads_somewhere_ && !text.empty() && text != ".") {
        if (text.front() != '[') {
            steps_.push_back({take_name(text)});
            continue;
        }
        const auto inside = take_bracket(text);
        if (inside) steps_.push_back(bracket(*inside));
        leads_somewhere_ = inside.has_value();
    }
}

namespace {

std::optional<std::int64_t> number_in(std::string_view text)
{
    std::int64_t number = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (ec != std::errc{} || end != text.data() + text.size()) return {};
    return number;
}

} // namespace

json_path::step json_path::bracket(std::string_view inside)
{
    step out{std::string(unquoted(inside)), true};
    if (inside == "*" || inside.empty()) {
        out.all_items = true;
    } else if (inside.starts_with("?(") && inside.ends_with(')')) {
        out.items = filter_of(inside.substr(2, inside.size() - 3));
    } else {
        const auto colon = inside.find(':');
        out.index = number_in(inside.substr(0, colon));
        if (colon != inside.npos) {
            out.end = number_in(inside.substr(colon + 1));
            if (colon == 0) out.index = 0;
        }
    }
    return out;
}

/// Reads `@.type=="Ready"`; nothing if it has another form.
std::optional<json_path::filter> json_path::filter_of(std::string_view inside)
{
    const auto equals = inside.find("==");
    if (!inside.starts_with("@") || equals == std::string_view::npos) return {};
    auto left = inside.substr(1, equals - 1), right = inside.substr(equals + 2);
    while (!left.empty() && left.back() == ' ') left.remove_suffix(1);
    while (!right.empty() && right.front() == ' ') right.remove_prefix(1);
    return filter{std::make_unique<const json_path>(left), std::string(unquoted(right))};
}

const json::value* json_path::find(const json::value& v, std::size_t from) const
{
    if (!leads_somewhere_) return nullptr;
    if (from == steps_.size()) return &v;
    const auto& next = steps_[from];
    if (const auto* object = v.if_object()) {
        const auto* member = object->if_contains(next.name);
        return member ? find(*member, from + 1) : nullptr;
    }
    const auto* array = v.if_array();
    return array && next.is_bracket ? find_item(*array, from) : nullptr;
}

const json::value* json_path::find_item(const json::array& list, std::size_t from) const
{
    const auto& next = steps_[from];
    if (next.index) {
        const auto size = static_cast<std::int64_t>(list.size());
        const auto absolute = [&](std::int64_t i) { return i < 0 ? i + size : i; };
        const auto at = absolute(*next.index);
        const auto end = next.end ? std::min(absolute(*next.end), size) : size;
        return at >= 0 && at < end ? find(list[static_cast<std::size_t>(at)], from + 1) : nullptr;
    }
    if (!next.all_items && !next.items) return nullptr;
    for (const auto& item : list) {
        if (next.items) {
            const auto* found = next.items->path->find(item);
            if (!found || scalar_text(*found) != next.items->value) continue;
        }
        if (const auto* found = find(item, from + 1)) return found;
    }
    return nullptr;
}

} // namespace kubecoro::apiserver
