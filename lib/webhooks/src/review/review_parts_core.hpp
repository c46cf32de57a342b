// Takes the objects out of a review's text, so that each is decoded once. Sans-io.
#pragma once

#include <kubecoro/api/detail/object_encoding.hpp>
#include <kubecoro/api/object.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/// A review's text, and the objects that were in it.
struct review_parts
{
    /// The review with null in place of each.
    std::string rest = {};
    /// By their names, each of which comes once.
    std::vector<std::pair<std::string_view, object>> objects = {};

    /// Null if there is none of that name.
    [[nodiscard]] object value(std::string_view name) const;
};

/** Decodes the objects and finds what is around them by the grammar of JSON, but does not validate that. A text that is no JSON,
    has a member twice, or an object that cannot be decoded, may stay whole.

    @param names   Members of `request`.
    @param shared  The storage that the objects share; null = none. */
[[nodiscard]] review_parts split_review(std::string_view text, const std::vector<std::string_view>& names,
                                        const std::shared_ptr<object_encoding>& shared);

} // namespace kubecoro::detail
