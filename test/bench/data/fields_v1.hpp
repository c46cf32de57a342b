// The field sets of managedFields, derived from the fields that a manager wrote.
#pragma once

#include <boost/json/value.hpp>

namespace kubecoro::bench {

/** The fieldsV1 that a server records for a manager that wrote all of `written`: members as "f:name", items of keyed
    lists as "k:{...}", lists without keys and values as {}, keys in the order in which a server sends them.

    @param written  An object with the members that the manager set, e.g. {"spec": {...}}. */
[[nodiscard]] boost::json::object fields_v1(const boost::json::object& written);

} // namespace kubecoro::bench
