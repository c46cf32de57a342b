// The values that schemas name: those of `enum`, also within `allOf`, `oneOf` and `anyOf`.
#pragma once

#include <kubecoro/codegen/model.hpp>

#include <boost/json/object.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro::codegen {

/// Values as JSON texts, in the order of the schema. None if the schema allows values that it does not name.
using enumeration = std::optional<std::vector<std::string>>;

/// Returns the values that satisfy `enum`, every schema of `allOf`, and one of `oneOf` and of `anyOf`. Other rules may
/// refuse some of them.
[[nodiscard]] enumeration enumeration_of(const boost::json::object& schema);

/// Returns by name what an object's `allOf`, `oneOf` and `anyOf` demand of its properties.
[[nodiscard]] std::map<std::string, enumeration> enumerations_of_properties(const boost::json::object& schema);

/// Adds the values of a type to its shape, or keeps those that were there before. Null and values of other types have
/// no constant.
void limit_values(value_shape& shape, const enumeration& values);

} // namespace kubecoro::codegen
