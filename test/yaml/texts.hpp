#pragma once
// Texts for the comparison of the reader of YAML and JSON with kubectl's.

#include <random>
#include <string>
#include <vector>

namespace kubecoro::test {

struct yaml_case
{
    /// The way it is read: document, stream or kubeconfig.
    std::string as;
    std::string text;
};

/// A random text: of a grammar, or one of the seeds, in half of the cases changed in some places.
[[nodiscard]] yaml_case random_yaml_case(std::mt19937_64& random, const std::vector<std::string>& seeds);

} // namespace kubecoro::test
