#pragma once

#include "driver/subjects.hpp"

#include <string>
#include <vector>

namespace kubecoro::bench::live {

/// The subjects on a real cluster, kubecoro first. `programs` and `peers` as in bench::all_subjects().
[[nodiscard]] std::vector<subject> all_subjects(const std::string& programs, const std::string& peers);

} // namespace kubecoro::bench::live
