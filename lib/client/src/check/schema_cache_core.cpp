#include "check/schema_cache_core.hpp"

#include <algorithm>
#include <utility>

namespace kubecoro::detail {

const schema_cache_core::entry* schema_cache_core::current(const std::string& kind, time_point now) const noexcept
{
    const auto at = kinds_.find(kind);
    if (at == kinds_.end()) return nullptr;
    const auto& [schema, read_at, tried_at] = at->second;
    if (now - tried_at < reread_interval) return &at->second;
    if (!schema) return nullptr;
    return max_age_ == duration::zero() || now - read_at < max_age_ ? &at->second : nullptr;
}

bool schema_cache_core::may_have_changed(const std::string& kind, time_point now) const noexcept
{
    const auto at = kinds_.find(kind);
    return at != kinds_.end() && now - at->second.tried_at >= reread_interval;
}

void schema_cache_core::keep(const std::string& kind, std::optional<object_schema> schema, time_point now)
{
    if (kinds_.size() >= max_kinds && !kinds_.contains(kind))
        kinds_.erase(std::ranges::min_element(kinds_, {}, [](const auto& k) { return k.second.read_at; }));
    kinds_.insert_or_assign(kind, entry{std::move(schema), now, now});
}

std::optional<object_schema> schema_cache_core::keep_after(const failure& why, const std::string& kind, time_point now)
{
    const auto at = kinds_.find(kind);
    const bool has_changed = why == cond::not_found || why == cond::invalid;
    if (at == kinds_.end() || !at->second.schema || has_changed) {
        keep(kind, {}, now);
        return std::nullopt;
    }
    at->second.tried_at = now;
    return at->second.schema;
}

} // namespace kubecoro::detail
