// The members of structs, by their descriptions.
#pragma once

#include <kubecoro/api/detail/struct_type.hpp>
#include <kubecoro/api/other_fields.hpp>

#include "text/same_text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kubecoro::detail {

[[nodiscard]] inline const void* member_of(const void* value, std::uint32_t offset) noexcept
{
    return static_cast<const unsigned char*>(value) + offset;
}

[[nodiscard]] inline const other_fields& others_of(const struct_type& type, const void* value) noexcept
{
    static const other_fields none;
    if (type.others == struct_type::no_others) return none;
    return *static_cast<const other_fields*>(member_of(value, type.others));
}

[[nodiscard]] inline void* member_of(void* value, std::uint32_t offset) noexcept
{
    return static_cast<unsigned char*>(value) + offset;
}

/// Null if the struct has no place for them.
[[nodiscard]] inline other_fields* others_of(const struct_type& type, void* value) noexcept
{
    if (type.others == struct_type::no_others) return nullptr;
    return static_cast<other_fields*>(member_of(value, type.others));
}

/// Null if there is none.
[[nodiscard]] inline const struct_field* find_field(const struct_type& type, std::string_view name) noexcept
{
    const auto at = std::ranges::lower_bound(type.by_name, name, {}, [&](auto i) { return type.fields[i].name; });
    return at == type.by_name.end() || type.fields[*at].name != name ? nullptr : &type.fields[*at];
}

/** Finds the fields of a struct for names that come in the order of the struct, or nearly: so do those of objects that
    servers write. */
class field_search
{
public:
    explicit field_search(const struct_type& type) noexcept : type_(type) {}

    /// Null if there is none.
    [[nodiscard]] const struct_field* find(std::string_view name) noexcept
    {
        const auto end = std::min(type_.fields.size(), next_ + nearby);
        for (auto i = next_; i < end; ++i) {
            if (!same_text(type_.fields[i].name, name)) continue;
            next_ = i + 1;
            return &type_.fields[i];
        }
        const auto* const found = find_field(type_, name);
        if (found != nullptr) next_ = static_cast<std::size_t>(found - type_.fields.data()) + 1;
        return found;
    }

private:
    // Further away, a binary search is faster.
    static constexpr std::size_t nearby = 8;
    const struct_type& type_;
    std::size_t next_ = 0;
};

/// Finds the members of a struct by name. The caller asks for each name once, the last one first, and for all of them.
class struct_members
{
public:
    /// @param of  Its value may be null if its type has no fields.
    explicit struct_members(struct_view of) noexcept
        : of_(of), others_(others_of(*of.type, of.value)), next_(of.type->fields.size())
    {
    }

    /// Null if there is none.
    [[nodiscard]] const struct_field* find(std::string_view name) noexcept
    {
        const auto fields = of_.type->fields;
        const bool is_next = next_ != 0 && fields[next_ - 1].name == name;
        const auto* const found = is_next ? &fields[next_ - 1] : find_field(*of_.type, name);
        if (found == nullptr) return nullptr;
        next_ = static_cast<std::size_t>(found - fields.data());
        ++seen_;
        return found;
    }
    [[nodiscard]] const void* value_of(const struct_field& f) const noexcept { return member_of(of_.value, f.offset); }
    /// The text that other_fields keep for that name; empty if there is none.
    [[nodiscard]] std::string_view kept(std::string_view name)
    {
        if (others_.empty()) return {};
        const auto text = others_.text(name);
        if (!text.empty()) ++seen_kept_;
        return text;
    }
    /// Whether all fields, and all texts that are kept, have been found.
    [[nodiscard]] bool are_seen() const noexcept
    {
        return seen_ == of_.type->fields.size() && (others_.empty() || seen_kept_ == others_.members().size());
    }

private:
    struct_view of_;
    const other_fields& others_;
    std::size_t next_;
    std::size_t seen_ = 0;
    std::size_t seen_kept_ = 0;
};

} // namespace kubecoro::detail
