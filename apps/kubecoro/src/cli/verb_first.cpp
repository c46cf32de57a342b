#include "cli/verb_first.hpp"

#include "cli/complete.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace kubecoro::tool {

namespace {

/// Whether the value of a flag is the next word: if it is for one of the commands.
bool has_value_behind(const CLI::App& app, const std::string& flag)
{
    if (takes_value(find_option(app, flag))) return true;
    const auto verbs = app.get_subcommands([](const CLI::App*) { return true; });
    return std::ranges::any_of(verbs, [&](const CLI::App* verb) { return takes_value(find_option(*verb, flag)); });
}

} // namespace

std::vector<std::string> verb_first(const CLI::App& app, std::vector<std::string> words)
{
    for (std::size_t at = 0; at < words.size(); ++at) {
        const auto& word = words[at];
        if (word == "--") break;
        if (word.size() > 1 && word.front() == '-') {
            // "-nweb" is no name of a flag.
            if (has_value_behind(app, word)) ++at;
            continue;
        }
        if (find_subcommand(app, word) == nullptr) break;
        std::rotate(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at),
                    words.begin() + static_cast<std::ptrdiff_t>(at) + 1);
        break;
    }
    return words;
}

} // namespace kubecoro::tool
