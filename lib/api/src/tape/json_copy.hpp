// Copies values of a tape into Boost.JSON values.
#pragma once

#include <kubecoro/api/value_view.hpp>

#include <boost/json/value.hpp>

namespace kubecoro::detail {

struct json_copy
{
    boost::json::value value;
    /// Whether every number is a 64-bit integer, which Boost.JSON keeps as it is.
    bool exact;
};

[[nodiscard]] json_copy copy_to_json(const value_view& v);

} // namespace kubecoro::detail
