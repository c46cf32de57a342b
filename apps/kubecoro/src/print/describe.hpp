// An object and its events as a page for people. Sans-io.
#pragma once

#include <boost/json/value.hpp>

#include <string>

namespace kubecoro::tool {

/** Every field of the object under readable names; conditions and events as tables. Values of Secrets are shown as their
    sizes. Safe for a terminal.

    @param events  Event objects of core/v1, in order. */
[[nodiscard]] std::string describe_object(const boost::json::value& object, const boost::json::array& events);

/// "restartPolicy" -> "Restart Policy", "podIP" -> "Pod IP".
[[nodiscard]] std::string readable_name(const std::string& field);

} // namespace kubecoro::tool
