// Checks of what users write after flags.
#pragma once

#include <string>

namespace CLI {
class Validator;
}

namespace kubecoro::tool {

/// For add_option()->check(): a whole number that is not 0.
[[nodiscard]] CLI::Validator whole_number_from_one();

/// A namespace is a DNS label. Anything else no server has.
[[nodiscard]] bool is_namespace(const std::string& name);

} // namespace kubecoro::tool
