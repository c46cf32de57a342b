// JSON for servers and readers.
#pragma once

#include <boost/json/fwd.hpp>

#include <string>

namespace kubecoro::detail {

/// False if a number in the value is infinite or NaN: JSON has no text for it.
[[nodiscard]] bool has_json_text(const boost::json::value& v);

/** Compact JSON. A value without a JSON text becomes a text that no reader accepts.

    Boost.JSON 1.83 and later write `null` for NaN, which removes a field in a merge patch, and 1e99999 for infinity. */
[[nodiscard]] std::string written_json(const boost::json::value& v);
[[nodiscard]] std::string written_json(const boost::json::object& o);
[[nodiscard]] std::string written_json(const boost::json::array& a);

} // namespace kubecoro::detail
