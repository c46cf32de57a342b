// The members in which two structs of one type differ, as JSON. Sans-io.
#pragma once

#include <kubecoro/api/detail/struct_type.hpp>
#include <kubecoro/api/value_view.hpp>

#include <boost/json/object.hpp>

#include <string>

namespace kubecoro::detail {

/// The changes that an edit of a struct has made.
struct struct_change
{
    /// The members that were otherwise, or are no more; of parts that both have, those within.
    boost::json::object was = {};
    /// The same of the edited struct.
    boost::json::object is = {};
    /// The path of a changed member whose value JSON does not have, such as a text of other bytes; empty = none.
    std::string unwritable = {};

    [[nodiscard]] bool empty() const noexcept { return was.empty() && is.empty(); }
};

/// Compares members in place, and writes those that differ alone: most edits change one or two of a large object.
/// @param stated  The object that `before` was read from. A part that it does not have is written as a whole.
[[nodiscard]] struct_change change_between(const struct_type& type, value_view stated, const void* before,
                                           const void* after);

} // namespace kubecoro::detail
