#include "print/json_lines.hpp"

namespace kubecoro::tool {

namespace json = boost::json;

const json::value* find_member(const json::value& v, std::initializer_list<std::string_view> path)
{
    const json::value* at = &v;
    for (const auto name : path) {
        const auto* object = at->if_object();
        at = object ? object->if_contains(json::string_view(name.data(), name.size())) : nullptr;
        if (!at) return nullptr;
    }
    return at;
}

std::string text_member(const json::value& v, std::initializer_list<std::string_view> path)
{
    const auto* found = find_member(v, path);
    return found && found->is_string() ? std::string(std::string_view(found->get_string())) : std::string();
}

} // namespace kubecoro::tool
