#include "library/functions.hpp"

#include <unordered_map>

namespace kubecoro::cel::detail {

namespace {

std::unordered_map<std::string_view, function_entry> all_functions()
{
    std::unordered_map<std::string_view, function_entry> out;
    for (const auto& table :
         {operator_functions(), conversion_functions(), string_functions(), list_functions(), set_functions(),
          time_functions(), pattern_functions(), url_functions(), network_functions(), amount_functions(),
          semver_functions(), format_functions(), optional_functions()})
        for (const auto& entry : table.entries) out.emplace(entry.name, entry);
    return out;
}

} // namespace

const function_entry* find_function(std::string_view name) noexcept
{
    static const auto functions = all_functions();
    const auto found = functions.find(name);
    return found != functions.end() ? &found->second : nullptr;
}

value make_exhausted()
{
    return value::made(value_type::error, 0, 0, "operation cancelled: memory limit exceeded", nullptr);
}

value make_text(resources& from, std::string text)
{
    return from.take(item_bytes + text.size()) ? value(std::move(text)) : make_exhausted();
}

value make_list(resources& from, std::vector<value> items)
{
    return from.take(item_bytes * (items.size() + 1)) ? value::of_list(std::move(items)) : make_exhausted();
}

} // namespace kubecoro::cel::detail
