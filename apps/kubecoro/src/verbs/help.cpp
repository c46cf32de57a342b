// `kubecoro help VERB`.
#include "verbs/verbs.hpp"

#include "cli/complete.hpp"

#include <CLI/CLI.hpp>

namespace kubecoro::tool {

namespace asio = boost::asio;

asio::awaitable<result<>> print_text(std::string text, verb_context context)
{
    context.print(text);
    co_return result<>();
}

namespace {

/// The command of these words, such as {"config", "view"}; null if there is none.
const CLI::App* find_command(const CLI::App& app, const std::vector<std::string>& words)
{
    const CLI::App* at = &app;
    for (const auto& word : words) {
        at = find_subcommand(*at, word);
        if (!at) return nullptr;
    }
    return at;
}

} // namespace

verb add_help(CLI::App& app)
{
    auto words = std::make_shared<std::vector<std::string>>();
    app.add_subcommand("help", "Explain a verb and its flags")->add_option("VERB", *words, "get, config view, ...");
    verb out;
    out.name = "help";
    out.check = [&app, words]() -> result<> {
        if (find_command(app, *words)) return {};
        return failure(cond::invalid, "there is no verb \"" + words->front() + "\"");
    };
    out.run = [&app, words](verb_context context) {
        // CLI::App::help() would explain the verb that was given, which is this one.
        const auto* chosen = find_command(app, *words);
        std::string name = "kubecoro";
        for (const auto& word : *words) name += " " + word;
        return print_text(chosen->get_formatter()->make_help(chosen, name, CLI::AppFormatMode::Normal),
                          std::move(context));
    };
    return out;
}

} // namespace kubecoro::tool
