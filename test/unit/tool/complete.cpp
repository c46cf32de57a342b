#include "cli/complete.hpp"

#include <kubecoro/test/catch.hpp>

#include <CLI/CLI.hpp>

using namespace kubecoro::tool;

namespace {

completion after(const std::vector<std::string>& words)
{
    CLI::App app;
    app.fallthrough();
    int verbose = 0;
    std::string text;
    std::vector<std::string> many;
    bool flag = false;
    app.add_flag("-v,--verbose", verbose);
    auto* get = app.add_subcommand("get");
    get->add_option("RESOURCE", many);
    get->add_option("-o,--output", text);
    get->add_option("-n,--namespace", text);
    get->add_option("--context", text);
    get->add_flag("--show-labels", flag);
    auto* config = app.add_subcommand("config");
    config->add_subcommand("view");
    config->add_subcommand("use-context")->add_option("NAME", text);
    app.add_subcommand("apply")->add_option("-f,--filename", many);
    app.add_subcommand("logs")->add_option("POD", many);
    app.add_subcommand("help");
    app.add_subcommand("hidden")->group("");
    return complete(app, words);
}

using words = std::vector<std::string>;

} // namespace

TEST_CASE("tool: verbs and flags are completed from the command line itself", "[tool]")
{
    CHECK(after({""}).words == words{"apply", "config", "get", "help", "logs"});
    CHECK(after({"a"}).words == words{"apply"});
    CHECK(after({}).words == words{"apply", "config", "get", "help", "logs"});
    CHECK(after({"help", "g"}).words == words{"get"});
    CHECK(after({"config", ""}).words == words{"use-context", "view"});
    CHECK(after({"get", "--s"}).words == words{"--show-labels"});
    CHECK(after({"get", "--ver"}).words == words{"--verbose"});
    CHECK(after({"get", "-o", "j"}).words == words{"json", "jsonpath="});
    CHECK(after({"nonsense", ""}).words == words{"apply", "config", "get", "help", "logs"});
}

TEST_CASE("tool: resources and names are asked of the server that the flags name", "[tool]")
{
    const auto types = after({"get", "-n", "web", "--context=c", "po"});
    CHECK(types.source == completion_source::types);
    CHECK(types.prefix == "po");
    CHECK(types.flags == std::map<std::string, std::string>{{"namespace", "web"}, {"context", "c"}});
    const auto names = after({"get", "pods", "--show-labels", "w"});
    CHECK(names.source == completion_source::names);
    CHECK(names.type == "pods");
    const auto pair = after({"get", "svc/a", "deploy/w"});
    CHECK(pair.source == completion_source::names);
    CHECK((pair.type == "deploy" && pair.before == "deploy/" && pair.prefix == "w"));
    const auto second = after({"get", "pods,s"});
    CHECK(second.source == completion_source::types);
    CHECK((second.before == "pods," && second.prefix == "s"));
    CHECK(after({"get", "-n", "w"}).source == completion_source::namespaces);
    const auto value = after({"get", "--namespace=w"});
    CHECK(value.source == completion_source::namespaces);
    CHECK((value.before == "--namespace=" && value.prefix == "w"));
    CHECK(after({"get", "--output=j"}).words == words{"json", "jsonpath="});
    CHECK(after({"get", "--nonsense=j"}).words.empty());
    CHECK(after({"get", "--context", ""}).source == completion_source::contexts);
    CHECK(after({"config", "use-context", ""}).source == completion_source::contexts);
    CHECK(after({"logs", "w"}).type == "pods");
    CHECK(after({"apply", "-f", ""}).source == completion_source::files);
}

TEST_CASE("tool: only words that mean nothing to a shell are offered", "[tool]")
{
    for (const char* good : {"web-1", "arn:aws:eks:eu-1:1:cluster/x", "me@example.com", "a_b"})
        CHECK(is_safe_word(good));
    for (const char* bad : {"", "-rf", "a b", "$(reboot)", "`x`", "a;b", "a\nb", "\x1b[2J", "'", "*", "~"})
        CHECK_FALSE(is_safe_word(bad));
}
