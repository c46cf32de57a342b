#include "cli/complete.hpp"

#include "cli/verb_first.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace kubecoro::tool {

const CLI::Option* find_option(const CLI::App& app, const std::string& word)
{
    for (const CLI::App* at = &app; at; at = at->get_parent())
        for (const auto* option : at->get_options())
            if (!option->get_positional() && option->check_name(word)) return option;
    return nullptr;
}

bool takes_value(const CLI::Option* option)
{
    return option && option->get_expected_max() > 0 && option->get_type_size() > 0;
}

namespace {

/// Subcommands and flags that are meant for people.
bool is_shown(const std::string& group) { return !group.empty(); }

std::string long_name(const CLI::Option& option)
{
    const auto& names = option.get_lnames();
    return names.empty() ? "" : names.front();
}

bool is_resource_verb(const CLI::App& app)
{
    const auto options = app.get_options();
    return std::any_of(options.begin(), options.end(), [](const CLI::Option* o) {
        return o->get_positional() && o->get_name().find("RESOURCE") != std::string::npos;
    });
}

/// The command line up to the word that is being typed.
struct line_so_far
{
    const CLI::App* app = nullptr;
    std::vector<std::string> positionals = {};
    std::map<std::string, std::string> flags = {};
    /// Its value comes next.
    const CLI::Option* open = nullptr;
};

void take_flag(line_so_far& line, const std::string& word)
{
    const auto equals = word.find('=');
    const auto* option = find_option(*line.app, word.substr(0, equals));
    if (!takes_value(option)) return;
    if (equals == word.npos)
        line.open = option;
    else
        line.flags[long_name(*option)] = word.substr(equals + 1);
}

void take_word(line_so_far& line, const std::string& word)
{
    if (line.open) {
        line.flags[long_name(*line.open)] = word;
        line.open = nullptr;
    } else if (word.size() > 1 && word.front() == '-') {
        take_flag(line, word);
    } else if (const auto* sub = line.positionals.empty() ? find_subcommand(*line.app, word) : nullptr) {
        line.app = sub;
    } else {
        line.positionals.push_back(word);
    }
}

void add_words(completion& out, const std::vector<std::string>& words)
{
    for (const auto& word : words)
        if (word.starts_with(out.prefix)) out.words.push_back(word);
    std::sort(out.words.begin(), out.words.end());
}

void complete_value(completion& out, const CLI::Option& option)
{
    const auto name = long_name(option);
    if (name == "namespace")
        out.source = completion_source::namespaces;
    else if (name == "context")
        out.source = completion_source::contexts;
    else if (name == "output")
        add_words(out, {"table", "wide", "json", "yaml", "name", "jsonpath="});
    else if (name == "cascade")
        add_words(out, {"background", "foreground", "orphan"});
    else if (name == "type")
        add_words(out, {"strategic", "merge", "json"});
    else if (name == "for")
        add_words(out, {"condition=", "create", "delete", "jsonpath="});
    else if (name == "progress")
        add_words(out, {"auto", "always", "never"});
    else if (name == "validate")
        add_words(out, {"strict", "warn", "ignore", "client"});
    else if (name == "dry-run")
        add_words(out, {"server", "none"});
    else
        out.source = completion_source::files;
}

void complete_flag(completion& out, const CLI::App& app)
{
    const auto equals = out.prefix.find('=');
    if (equals != std::string::npos) {
        const auto* option = find_option(app, out.prefix.substr(0, equals));
        out.before = out.prefix.substr(0, equals + 1);
        out.prefix.erase(0, equals + 1);
        if (option) complete_value(out, *option);
        return;
    }
    std::vector<std::string> flags;
    for (const CLI::App* at = &app; at; at = at->get_parent())
        for (const auto* option : at->get_options())
            for (const auto& name : option->get_lnames()) flags.push_back("--" + name);
    add_words(out, flags);
    out.words.erase(std::unique(out.words.begin(), out.words.end()), out.words.end());
}

void complete_resource(completion& out, const line_so_far& line)
{
    if (const auto slash = out.prefix.find('/'); slash != std::string::npos) {
        out.source = completion_source::names;
        out.type = out.prefix.substr(0, slash);
        out.before = out.type + "/";
        out.prefix.erase(0, slash + 1);
        return;
    }
    if (!line.positionals.empty() && line.positionals.front().find('/') == std::string::npos) {
        out.source = completion_source::names;
        out.type = line.positionals.front();
        return;
    }
    out.source = completion_source::types;
    const auto comma = out.prefix.rfind(',');
    if (comma == std::string::npos) return;
    out.before = out.prefix.substr(0, comma + 1);
    out.prefix.erase(0, comma + 1);
}

void complete_positional(completion& out, const line_so_far& line)
{
    std::vector<std::string> commands;
    const CLI::App& from = line.app->get_name() == "help" ? *line.app->get_parent() : *line.app;
    for (const auto* sub : from.get_subcommands([](const CLI::App*) { return true; }))
        if (is_shown(sub->get_group())) commands.push_back(sub->get_name());
    const auto name = line.app->get_name();
    if (!commands.empty()) {
        add_words(out, commands);
    } else if (name == "completion") {
        add_words(out, {"bash", "zsh", "fish"});
    } else if (name == "use-context") {
        out.source = completion_source::contexts;
    } else if (name == "explain") {
        out.source = completion_source::types;
    } else if (name == "logs" && out.prefix.find('/') == std::string::npos) {
        out.source = completion_source::names;
        out.type = "pods";
    } else if (is_resource_verb(*line.app)) {
        complete_resource(out, line);
    } else {
        out.source = completion_source::files;
    }
}

} // namespace

const CLI::App* find_subcommand(const CLI::App& app, const std::string& name)
{
    const auto found = app.get_subcommands([&](const CLI::App* sub) { return sub->get_name() == name; });
    return found.empty() ? nullptr : found.front();
}

completion complete(const CLI::App& app, std::vector<std::string> words)
{
    if (!words.empty()) {
        auto typed = std::move(words.back());
        words.pop_back();
        words = verb_first(app, std::move(words));
        words.push_back(std::move(typed));
    }
    line_so_far line;
    line.app = &app;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) take_word(line, words[i]);
    completion out;
    out.flags = line.flags;
    if (!words.empty()) out.prefix = words.back();
    if (line.open)
        complete_value(out, *line.open);
    else if (out.prefix.starts_with('-'))
        complete_flag(out, *line.app);
    else
        complete_positional(out, line);
    return out;
}

bool is_safe_word(const std::string& word)
{
    constexpr std::string_view safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:/@=+-";
    return !word.empty() && word.front() != '-' && word.find_first_not_of(safe) == word.npos;
}

} // namespace kubecoro::tool
