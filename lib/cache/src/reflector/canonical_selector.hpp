#pragma once

#include <string>

namespace kubecoro::detail {

/// Returns the canonical text if the selector parses; the server reports the error of any other.
template<class Selector>
std::string canonical(const std::string& text)
{
    const auto parsed = Selector::parse(text);
    return parsed ? parsed->to_string() : text;
}

} // namespace kubecoro::detail
