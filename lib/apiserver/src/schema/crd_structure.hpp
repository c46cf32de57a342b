// Checks that the schema of a CustomResourceDefinition is structural.
#pragma once

#include "schema/schema_place.hpp"

#include <boost/json/object.hpp>

namespace kubecoro::apiserver {

/** Checks the rules of structural schemas: every value has a type, or an extension that permits its absence; what is below anyOf,
    allOf, oneOf and not only restricts values, and has its counterpart outside.

    @return the causes in the order of a kube-apiserver, which sorts them. */
[[nodiscard]] std::vector<status_cause> structural_problems(const boost::json::object& schema, const schema_place& at);

} // namespace kubecoro::apiserver
