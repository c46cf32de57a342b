#pragma once
// The rules of apimachinery's NewRequirement for one requirement of a label selector.

#include <kubecoro/api/selector.hpp>

#include <string>
#include <string_view>

namespace kubecoro::detail {

/// Sorts the values of a set, each once.
void put_in_order(label_selector::requirement& r);

/// Problem of the key, empty if there is none; in the words of a kube-apiserver.
[[nodiscard]] std::string key_problem(std::string_view key);
/// The same for the number of values.
[[nodiscard]] std::string count_problem(const label_selector::requirement& r);
/// The same for the values, in their order.
[[nodiscard]] std::string value_problem(const label_selector::requirement& r);

} // namespace kubecoro::detail
