#pragma once

#include <kubecoro/base/result.hpp>
#include <kubecoro/program/operator_options.hpp>

namespace kubecoro::detail {

/// Opens the file for traces, if there is to be one, and gives the manager's options the tracer that is asked for. Errors:
/// misconfigured.
[[nodiscard]] result<> begin_traces(operator_options& o);

} // namespace kubecoro::detail
