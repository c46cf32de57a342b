// Prints objects in the forms of -o other than tables.
#pragma once

#include "print/output_format.hpp"

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace kubecoro::tool {

/// The text of one document, an object or a `List`, as json, yaml or by a JSONPath.
/// @param terminal  The text goes to a terminal; what a JSONPath yields is made safe for it.
[[nodiscard]] std::string document_text(const boost::json::value& document, const output_format& format, bool terminal);

/// A `List` of the objects.
[[nodiscard]] boost::json::value list_of(boost::json::array items);

/// "pod/web-1", made printable.
[[nodiscard]] std::string object_name(std::string_view prefix, std::string_view name);

} // namespace kubecoro::tool
