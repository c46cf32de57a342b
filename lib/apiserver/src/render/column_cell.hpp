// The cells of the columns that definitions declare.
#pragma once

#include <kubecoro/apiserver/http_types.hpp>

#include <boost/json/value.hpp>

#include <string_view>

namespace kubecoro::apiserver {

/** Returns a value as a cell of a column of that type: a text for `string`, whatever the value is, the age for `date`, and null for
    values that do not fit the type.
    @param found  Null: there is no value. */
[[nodiscard]] boost::json::value column_cell(std::string_view type, const boost::json::value* found, wall_time now);

} // namespace kubecoro::apiserver
