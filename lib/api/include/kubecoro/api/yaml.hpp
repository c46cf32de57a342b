#pragma once

#include <boost/json/fwd.hpp>

#include <string>

namespace kubecoro {

/** YAML in block style, in the order of the members; any YAML 1.1 reader reads the same value from it.

    Values that would be indented by more than 64 columns are in one line, as in JSON: else the text of a deep value
    would be many times its size. Texts of several lines are literal blocks. Texts that a reader would take for another
    type, and texts with control characters, are in double quotes with escapes: the output is safe for a terminal. Keys
    of more than 1,000 bytes are written with a `?`. */
[[nodiscard]] std::string to_yaml(const boost::json::value& v);

} // namespace kubecoro
