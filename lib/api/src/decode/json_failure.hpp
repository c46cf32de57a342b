// Describes why a text could not be decoded.
#pragma once

#include <kubecoro/base/failure.hpp>

#include <boost/json/error.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace kubecoro::detail {

/** Builds the failure with the reason and the position up to which the text was understood.

    @param problem  The caller's reason; empty = the parser's.
    @param bytes    The parsed text, starting at byte `offset` of the whole.
    @param last     End of the last text that was understood, if it is inside `bytes`. */
[[nodiscard]] inline failure json_failure(std::string problem, const boost::json::error_code& ec,
                                          std::string_view bytes, const char* last, std::size_t offset)
{
    // Text from the parser's own buffer is outside the input; std::less orders any two pointers.
    const std::less<const char*> before;
    const bool inside = last != nullptr && !before(last, bytes.data()) && !before(bytes.data() + bytes.size(), last);
    const std::size_t at = offset + (inside ? static_cast<std::size_t>(last - bytes.data()) : 0);
    if (problem.empty() && ec == boost::json::error::incomplete) problem = "unexpected end of text";
    if (problem.empty() && ec == boost::json::error::too_deep) problem = "nested too deeply";
    if (problem.empty()) problem = "malformed JSON (" + ec.message() + ")";
    return failure(cond::corrupt, std::move(problem) + " after byte " + std::to_string(at));
}

} // namespace kubecoro::detail
