// The types of watch events, for both forms on the wire.
#pragma once

#include <kubecoro/api/decode.hpp>

#include <cstddef>
#include <string_view>

namespace kubecoro::detail {

/// Longer names of unknown types are cut.
inline constexpr std::size_t unknown_type_bytes = 64;

[[nodiscard]] inline watch_event_type event_type_of(std::string_view text) noexcept
{
    if (text == "ADDED") return watch_event_type::added;
    if (text == "MODIFIED") return watch_event_type::modified;
    if (text == "DELETED") return watch_event_type::deleted;
    if (text == "BOOKMARK") return watch_event_type::bookmark;
    if (text == "ERROR") return watch_event_type::error;
    return watch_event_type::unknown;
}

/// True if an event of this type is about an object of the resource. Other objects are messages of the server, which
/// are not pruned.
[[nodiscard]] inline bool is_change(watch_event_type type) noexcept
{
    return type == watch_event_type::added || type == watch_event_type::modified || type == watch_event_type::deleted;
}

} // namespace kubecoro::detail
