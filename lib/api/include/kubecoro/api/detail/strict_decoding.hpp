// The words for bodies that a kube-apiserver cannot decode, or does not want to.
#pragma once

#include <kubecoro/base/status.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// Returns `strict decoding error: duplicate field "a", unknown field "b"`, of at most 100 fields. Empty if there are none.
[[nodiscard]] std::string strict_problem(const std::vector<std::string>& duplicates,
                                         const std::vector<std::string>& unknown);

/// Returns the Status that refuses a body: 400, `Pod in version "v1" cannot be handled as a Pod: ` and the reason.
[[nodiscard]] server_status undecodable(std::string_view kind, std::string_view version, std::string_view why);

} // namespace kubecoro::detail
