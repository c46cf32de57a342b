// Flags before the verb: `kubecoro -n web get pods`.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace kubecoro::tool {

/// The words with those before the verb behind it, as kubectl understands them: flags belong to verbs. Unchanged without a verb.
[[nodiscard]] std::vector<std::string> verb_first(const CLI::App& app, std::vector<std::string> words);

} // namespace kubecoro::tool
