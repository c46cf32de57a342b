#include <kubecoro/api/detail/merge_rules.hpp>

#include <algorithm>

namespace kubecoro::detail::builtin_schemas {

const merge_rule* find_merge_rule(const schema_field& field) noexcept
{
    const auto index = static_cast<std::uint32_t>(&field - builtin_schema_tables.fields.data());
    const auto& rules = builtin_merge_tables.rules;
    const auto it = std::ranges::lower_bound(rules, index, {}, &merge_rule::field);
    return it != rules.end() && it->field == index ? &*it : nullptr;
}

bool is_atomic(std::uint16_t message) noexcept
{
    return std::ranges::binary_search(builtin_merge_tables.atomic_messages, message);
}

} // namespace kubecoro::detail::builtin_schemas
