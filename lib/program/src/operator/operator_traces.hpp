#pragma once

#include "operator/operator_flags.hpp"

#include <kubecoro/base/result.hpp>
#include <kubecoro/program/operator_options.hpp>

namespace kubecoro::detail {

/// Opens the file for traces, if the flags name one, and gives the manager's options the tracer that they ask for. Errors:
/// misconfigured.
[[nodiscard]] result<> begin_traces(const operator_flags& flags, operator_options& o);

} // namespace kubecoro::detail
