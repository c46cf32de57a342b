#include "cli/complete.hpp"
#include "cli/verb_first.hpp"

#include <kubecoro/test/catch.hpp>

#include <CLI/CLI.hpp>

using namespace kubecoro::tool;

namespace {

using words = std::vector<std::string>;

/// A command line like that of the tool.
struct small_tool
{
    small_tool()
    {
        app.fallthrough();
        app.add_flag("-v,--verbose", verbose);
        app.add_option("--progress", text);
        auto* get = app.add_subcommand("get");
        get->add_option("RESOURCE", many);
        get->add_option("-o,--output", text);
        get->add_option("-n,--namespace", ns);
        get->add_option("--context", text);
        get->add_flag("-A,--all-namespaces", flag);
        get->add_flag("--show-labels", flag);
        auto* config = app.add_subcommand("config");
        config->add_subcommand("view");
        config->add_subcommand("use-context")->add_option("NAME", text);
        app.add_subcommand("apply")->add_option("-f,--filename", many);
        app.add_subcommand("logs")->add_option("POD", many);
        app.add_subcommand("help");
        app.add_subcommand("hidden")->group("");
    }
    CLI::App app;
    int verbose = 0;
    std::string text;
    std::string ns;
    words many;
    bool flag = false;
};

completion after(const words& all) { return complete(small_tool().app, all); }

words ordered(words all) { return verb_first(small_tool().app, std::move(all)); }

} // namespace

TEST_CASE("tool: flags may stand before the verb", "[tool]")
{
    CHECK(ordered({"-n", "web", "get", "pods"}) == words{"get", "-n", "web", "pods"});
    CHECK(ordered({"--namespace", "get", "get", "pods"}) == words{"get", "--namespace", "get", "pods"});
    CHECK(ordered({"--namespace=web", "-v", "get", "pods"}) == words{"get", "--namespace=web", "-v", "pods"});
    CHECK(ordered({"-nweb", "-A", "get"}) == words{"get", "-nweb", "-A"});
    CHECK(ordered({"-v", "--progress", "never", "logs", "get"}) == words{"logs", "-v", "--progress", "never", "get"});
    CHECK(ordered({"get", "-n", "logs"}) == words{"get", "-n", "logs"});
    // Without a verb nothing changes, and CLI11 says what is wrong.
    for (const words& same :
         {words{}, {"-n"}, {"-n", "get"}, {"--", "get"}, {"nonsense", "get"}, {"-n", "web", "pods", "get"}})
        CHECK(ordered(same) == same);
    small_tool tool;
    auto all = verb_first(tool.app, {"-n", "web", "get", "pods"});
    std::reverse(all.begin(), all.end());
    tool.app.parse(std::move(all));
    CHECK(tool.ns == "web");
    CHECK(tool.many == words{"pods"});
    const auto names = after({"-n", "web", "get", "pods", "w"});
    CHECK(names.source == completion_source::names);
    CHECK(names.flags == std::map<std::string, std::string>{{"namespace", "web"}});
}

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
