#pragma once
// Decides which schemas are kept, and when one is read again. Sans-io.

#include <kubecoro/api/validation.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace kubecoro::detail {

/// Schemas of custom kinds by "widgets.v1.example.com", or that they cannot be had. Not thread safe.
class schema_cache_core
{
public:
    static constexpr std::size_t max_kinds = 200;
    /// Before an object is refused, and for kinds whose schema could not be had, one whose last read was earlier is read
    /// again.
    static constexpr std::chrono::seconds reread_interval{10};

    /// @param max_age  0 = no limit.
    explicit schema_cache_core(duration max_age) noexcept : max_age_(max_age) {}

    struct entry
    {
        /// Empty: it could not be had.
        std::optional<object_schema> schema;
        time_point read_at;
        /// Later than read_at if reads have failed since.
        time_point tried_at;
    };

    /// The schema, or null: it is to be read.
    [[nodiscard]] const entry* current(const std::string& kind, time_point now) const noexcept;
    /// An object does not match the kept schema. True: it may have changed since, and is to be read again.
    [[nodiscard]] bool may_have_changed(const std::string& kind, time_point now) const noexcept;
    /// Keeps what was read; the kind that was read first makes room.
    void keep(const std::string& kind, std::optional<object_schema> schema, time_point now);
    /** A read has failed. A schema that was had before stays, unless the server says that there is none, or sends one that
        cannot be used: then the kind has none.
        @return  The schema to use. */
    std::optional<object_schema> keep_after(const failure& why, const std::string& kind, time_point now);
    void forget(const std::string& kind) { kinds_.erase(kind); }

private:
    duration max_age_;
    std::map<std::string, entry> kinds_;
};

inline const schema_cache_core::entry* schema_cache_core::current(const std::string& kind,
                                                                  time_point now) const noexcept
{
    const auto at = kinds_.find(kind);
    if (at == kinds_.end()) return nullptr;
    const auto& [schema, read_at, tried_at] = at->second;
    if (now - tried_at < reread_interval) return &at->second;
    if (!schema) return nullptr;
    return max_age_ == duration::zero() || now - read_at < max_age_ ? &at->second : nullptr;
}

inline bool schema_cache_core::may_have_changed(const std::string& kind, time_point now) const noexcept
{
    const auto at = kinds_.find(kind);
    return at != kinds_.end() && now - at->second.tried_at >= reread_interval;
}

inline void schema_cache_core::keep(const std::string& kind, std::optional<object_schema> schema, time_point now)
{
    if (kinds_.size() >= max_kinds && !kinds_.contains(kind))
        kinds_.erase(std::ranges::min_element(kinds_, {}, [](const auto& k) { return k.second.read_at; }));
    kinds_.insert_or_assign(kind, entry{std::move(schema), now, now});
}

inline std::optional<object_schema> schema_cache_core::keep_after(const failure& why, const std::string& kind,
                                                                  time_point now)
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
