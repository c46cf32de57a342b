// Flags before the verb: `kubecoro -n web get pods`.
#pragma once

#include <kubecoro/base/result.hpp>

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace kubecoro::tool {

/** The words with the verb in front of the flags before it, as kubectl understands them: flags belong to verbs. Unchanged
    without a verb.

    Errors: cond::invalid for a verb that does not exist, naming those that do. */
[[nodiscard]] result<std::vector<std::string>> verb_first(const CLI::App& app, std::vector<std::string> words);

} // namespace kubecoro::tool
