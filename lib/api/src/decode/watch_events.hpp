// The events of a watch, for both forms on the wire.
#pragma once

#include <kubecoro/api/decode.hpp>

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

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

/// The last one of those that are passed over in a row tells the version of all.
inline void append(watch_event event, std::vector<watch_event>& out)
{
    if (!out.empty() && event.passed_over && out.back().passed_over && out.back().type == event.type)
        out.back() = std::move(event);
    else
        out.push_back(std::move(event));
}

} // namespace kubecoro::detail
