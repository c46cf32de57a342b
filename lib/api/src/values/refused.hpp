#pragma once

#include <kubecoro/base/printable.hpp>
#include <kubecoro/base/result.hpp>

#include <string>
#include <string_view>

namespace kubecoro::detail {

/// The failure of a parser, with the beginning of the text.
[[nodiscard]] inline failure refused(std::string_view wanted, std::string_view text)
{
    constexpr std::size_t longest = 64;
    return failure(cond::invalid, "expected " + std::string(wanted) + ", got '" + printable(text, longest) + "'");
}

} // namespace kubecoro::detail
