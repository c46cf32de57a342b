// Validators for command-line flags.
#pragma once

#include <string>

namespace CLI {
class Validator;
}

namespace kubecoro::tool {

/// For add_option()->check(): a whole number greater than 0.
[[nodiscard]] CLI::Validator whole_number_from_one();

/// Whether the name is a DNS label; a server has no other namespaces.
[[nodiscard]] bool is_namespace(const std::string& name);

} // namespace kubecoro::tool
