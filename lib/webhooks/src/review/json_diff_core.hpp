// The JSON patch (RFC 6902) that leads from one version of an object to another. Sans-io.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace kubecoro::detail {

/** The operations `add`, `remove` and `replace` that turn `before` into `after`; empty if nothing changed.

    Members that changed are named one by one, and so are items of lists, found by the longest sequence that both lists
    have. A member or item is replaced as a whole where that is shorter. Lists whose differing parts are long are compared
    item by item. */
[[nodiscard]] boost::json::array json_patch(const boost::json::object& before, const boost::json::object& after);

} // namespace kubecoro::detail
