// What is said of a text that cannot be read.
#pragma once

#include <kubecoro/base/failure.hpp>

#include <boost/json/error.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace kubecoro::detail {

/** Why a text was refused, and how far it was understood.

    @param problem  In the words of who knows; empty = in those of the parser.
    @param bytes    What was parsed, which begins at byte `offset` of the whole.
    @param last     Where in it the last text ends that was understood, if it lies there. */
[[nodiscard]] inline failure json_failure(std::string problem, const boost::json::error_code& ec,
                                          std::string_view bytes, const char* last, std::size_t offset)
{
    // Text that went through the parser's own buffer does not lie in the input; std::less orders any two pointers.
    const std::less<const char*> before;
    const bool inside = last != nullptr && !before(last, bytes.data()) && !before(bytes.data() + bytes.size(), last);
    const std::size_t at = offset + (inside ? static_cast<std::size_t>(last - bytes.data()) : 0);
    if (problem.empty() && ec == boost::json::error::incomplete) problem = "the text ends early";
    if (problem.empty() && ec == boost::json::error::too_deep) problem = "nested too deep";
    if (problem.empty()) problem = "malformed JSON (" + ec.message() + ")";
    return failure(cond::corrupt, std::move(problem) + " after byte " + std::to_string(at));
}

} // namespace kubecoro::detail
