#include "cli/verb_first.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace kubecoro::tool {

namespace {

std::vector<const CLI::App*> verbs_of(const CLI::App& app)
{
    return app.get_subcommands([](const CLI::App*) { return true; });
}

bool takes_value(const CLI::App& app, const std::string& flag)
{
    const auto options = app.get_options();
    return std::ranges::any_of(options, [&](const CLI::Option* o) {
        return !o->get_positional() && o->check_name(flag) && o->get_expected_max() > 0 && o->get_type_size() > 0;
    });
}

/// Whether the value of a flag is the next word: if it is for the program or for one of the verbs. "-nweb" is no name of a flag.
bool has_value_behind(const CLI::App& app, const std::string& flag)
{
    return takes_value(app, flag) ||
           std::ranges::any_of(verbs_of(app), [&](const CLI::App* verb) { return takes_value(*verb, flag); });
}

failure no_verb(const CLI::App& app, const std::string& word)
{
    std::string names;
    for (const auto* verb : verbs_of(app)) names += (names.empty() ? "" : ", ") + verb->get_name();
    return failure(cond::invalid, "there is no verb \"" + word + "\"; the verbs are " + names);
}

} // namespace

result<std::vector<std::string>> verb_first(const CLI::App& app, std::vector<std::string> words)
{
    for (auto word = words.begin(); word != words.end() && *word != "--"; ++word) {
        if (word->size() > 1 && word->front() == '-') {
            if (has_value_behind(app, *word) && ++word == words.end()) break;
            continue;
        }
        const auto is_it = [&](const CLI::App* verb) { return verb->get_name() == *word; };
        if (std::ranges::none_of(verbs_of(app), is_it)) return no_verb(app, *word);
        std::rotate(words.begin(), word, word + 1);
        break;
    }
    return words;
}

} // namespace kubecoro::tool
