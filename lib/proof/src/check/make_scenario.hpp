// Prepares what the runs share, in a server that ends afterwards.
#pragma once

#include "world/scenario.hpp"

namespace kubecoro::testing::detail {

/// @param add, options  Outlive the scenario. Errors: those of check_operator().
[[nodiscard]] result<scenario> make_scenario(const detail::operator_function& add,
                                             const operator_check_options& options);

} // namespace kubecoro::testing::detail
