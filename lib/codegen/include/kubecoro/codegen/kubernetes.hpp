#pragma once

#include <kubecoro/base/result.hpp>
#include <kubecoro/codegen/model.hpp>

namespace kubecoro::codegen {

/** Reads the schemas of the built-in kinds: the rows of lib/api/schemas/kubernetes.json, described there.

    Kinds without a path of their own, such as lists, are left out. Errors: cond::invalid, with the row. */
[[nodiscard]] result<model> read_kubernetes(const boost::json::value& rows);

} // namespace kubecoro::codegen
