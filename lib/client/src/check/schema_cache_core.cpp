#include "check/schema_cache_core.hpp"

#include <algorithm>
#include <utility>

namespace kubecoro::detail {

const schema_cache_core::entry* schema_cache_core::current(const std::string& kind, time_point now) const noexcept
{
    const auto at = kinds_.find(kind);
    if (at == kinds_.end()) return nullptr;
    const auto age = now - at->second.read_at;
    if (!at->second.schema) return age < reread_interval ? &at->second : nullptr;
    return max_age_ == duration::zero() || age < max_age_ ? &at->second : nullptr;
}

bool schema_cache_core::may_have_changed(const std::string& kind, time_point now) const noexcept
{
    const auto at = kinds_.find(kind);
    return at != kinds_.end() && now - at->second.read_at >= reread_interval;
}

void schema_cache_core::keep(const std::string& kind, std::optional<object_schema> schema, time_point now)
{
    if (kinds_.size() >= max_kinds && !kinds_.contains(kind))
        kinds_.erase(std::ranges::min_element(kinds_, {}, [](const auto& k) { return k.second.read_at; }));
    kinds_.insert_or_assign(kind, entry{std::move(schema), now});
}

} // namespace kubecoro::detail
