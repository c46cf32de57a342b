// Takes the objects out of a review's text, so that each is decoded once. Sans-io.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/// The text of a review without some members of its request.
struct review_parts
{
    /// The review with null in place of each.
    std::string rest = {};
    /// Names and values, as they follow each other in the text, which they refer to.
    std::vector<std::pair<std::string_view, std::string_view>> members = {};

    /// The last value of that name; empty if there is none.
    [[nodiscard]] std::string_view value(std::string_view name) const noexcept;
};

/** Finds the members by the grammar of JSON, and validates nothing: the rest and each value are JSON if the text is, and only
    then. A text that is none, or whose names are escaped, may stay whole.

    @param names  Members of `request`. */
[[nodiscard]] review_parts split_review(std::string_view text, const std::vector<std::string_view>& names);

} // namespace kubecoro::detail
