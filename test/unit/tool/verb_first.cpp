#include "cli/verb_first.hpp"

#include <kubecoro/test/catch.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>

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
        get->add_option("-n,--namespace", ns);
        get->add_flag("-A,--all-namespaces", flag);
        app.add_subcommand("watch")->add_option("RESOURCE", many);
    }
    CLI::App app;
    int verbose = 0;
    std::string text;
    std::string ns;
    words many;
    bool flag = false;
};

words ordered(words all) { return verb_first(small_tool().app, std::move(all)).value(); }

} // namespace

TEST_CASE("tool: flags may stand before the verb", "[tool]")
{
    CHECK(ordered({"-n", "web", "get", "pods"}) == words{"get", "-n", "web", "pods"});
    CHECK(ordered({"--namespace", "get", "get", "pods"}) == words{"get", "--namespace", "get", "pods"});
    CHECK(ordered({"--namespace=web", "-v", "get", "pods"}) == words{"get", "--namespace=web", "-v", "pods"});
    CHECK(ordered({"-nweb", "-A", "get"}) == words{"get", "-nweb", "-A"});
    CHECK(ordered({"-v", "--progress", "never", "watch", "get"}) == words{"watch", "-v", "--progress", "never", "get"});
    CHECK(ordered({"get", "-n", "watch"}) == words{"get", "-n", "watch"});
    // Without a verb nothing changes, and CLI11 says what is wrong.
    for (const words& same : {words{}, {"-n"}, {"-n", "get"}, {"--", "get"}, {"-v", "--help"}})
        CHECK(ordered(same) == same);
    small_tool tool;
    auto all = verb_first(tool.app, {"-n", "web", "get", "pods"}).value();
    std::ranges::reverse(all);
    tool.app.parse(std::move(all));
    CHECK(tool.ns == "web");
    CHECK(tool.many == words{"pods"});
}

TEST_CASE("tool: an unknown verb is refused with the names of those that exist", "[tool]")
{
    for (const words& unknown : {words{"describe", "get"}, {"-n", "web", "describe", "get"}, {"-v", "describe"}}) {
        const auto refused = verb_first(small_tool().app, unknown);
        REQUIRE_FALSE(refused);
        CHECK(refused.error() == kubecoro::cond::invalid);
        CHECK(refused.error().message() == "there is no verb \"describe\"; the verbs are get, watch");
    }
}
