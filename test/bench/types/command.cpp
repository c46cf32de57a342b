#include "command.hpp"

#include <CLI/CLI.hpp>

namespace kubecoro::bench::types {

namespace {

/// --smoke: seconds; shows whether everything works.
void make_smoke(command& c)
{
    c.rounds = 1;
    c.tasks.pods = 20;
    c.tasks.milliseconds = 1;
    c.tasks.compilers = {KUBECORO_COMPILER};
    c.tasks.levels = {"O0"};
}

CLI::Option* add_list(CLI::App& app, const std::string& name, std::vector<std::string>& into, const std::string& help)
{
    return app.add_option(name, into, help)->delimiter(',')->allow_extra_args(false);
}

} // namespace

std::variant<command, refusal> parse_command(int argc, const char* const* argv)
{
    command c;
    c.out = "build/bench/types.json";
    bool smoke = false;
    CLI::App app{"Measures the types of kinds beside those of client-go and kube-rs: pods, generating, compiling."};
    app.add_option("NAME", c.tasks.names, "Workloads (default: all)")->check(CLI::IsMember(workload_names()));
    app.add_flag("--smoke", smoke, "20 pods, one round, one compiler: checks only that everything works");
    app.add_option("--rounds", c.rounds, "Rounds, subjects interleaved")->capture_default_str();
    app.add_option("--pods", c.tasks.pods, "Number of pods")->capture_default_str();
    app.add_option("--milliseconds", c.tasks.milliseconds, "Time for each figure of pods")->capture_default_str();
    add_list(app, "--compilers", c.tasks.compilers, "Compilers (default: g++,clang++-16)");
    add_list(app, "--levels", c.tasks.levels, "Optimisation levels (default: O0,O2)");
    add_list(app, "--files", c.tasks.files, "Compiled files (default: all)")->check(CLI::IsMember(user_files()));
    app.add_option("--source", c.source, "The work tree")->capture_default_str();
    app.add_option("--definitions", c.definitions, "Folder of definitions, made by test/crds/fetch.sh")
        ->capture_default_str();
    add_shared_options(app, c);
    if (auto refused = parse_with(app, argc, argv)) return *refused;
    if (smoke) make_smoke(c);
    return c;
}

} // namespace kubecoro::bench::types
