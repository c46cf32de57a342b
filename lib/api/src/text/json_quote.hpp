#pragma once

#include <string>
#include <string_view>

namespace kubecoro::detail {

/// Appends the text as a JSON string. Only what JSON demands is escaped.
void append_quoted(std::string& out, std::string_view text);

} // namespace kubecoro::detail
