// Makes text from a server safe for a terminal without changing its meaning where the format allows it.
#pragma once

#include <kubecoro/api/detail/written_json.hpp>

#include <string>
#include <string_view>

namespace kubecoro::tool {

using detail::escaped_json;

/// The text for a terminal: line breaks, tabs and colours (`ESC [ numbers m`) stay; other control characters become
/// spaces.
[[nodiscard]] std::string for_terminal(std::string_view text);

} // namespace kubecoro::tool
