#include "command.hpp"

#include <CLI/CLI.hpp>

namespace kubecoro::bench::controllers {

namespace {

/// --smoke: a minute; shows whether everything works.
void make_smoke(command& c)
{
    c.run.rounds = 1;
    c.run.rest = std::chrono::milliseconds{300};
    c.tasks.objects = {100};
    c.tasks.runs = 1'000;
    c.tasks.controllers = 10;
    c.tasks.own = 5;
    c.tasks.idle = 20;
}

} // namespace

std::variant<command, refusal> parse_command(int argc, const char* const* argv)
{
    command c;
    c.out = "build/bench/controllers.json";
    bool smoke = false;
    CLI::App app{"Measures controllers beside those of controller-runtime and kube-rs."};
    app.add_option("NAME", c.tasks.names, "Workloads (default: all)")->check(CLI::IsMember(workload_names()));
    app.add_flag("--smoke", smoke, "Few objects, one round: checks only that everything works");
    app.add_option("--rounds", c.run.rounds, "Rounds, subjects interleaved")->capture_default_str();
    app.add_option("--objects", c.tasks.objects, "Numbers of reconciled config maps (default: 10000,100000)")
        ->delimiter(',')
        ->allow_extra_args(false);
    app.add_option("--runs", c.tasks.runs, "Runs that change nothing")->capture_default_str();
    app.add_option("--controllers", c.tasks.controllers, "Controllers in one program")->capture_default_str();
    app.add_option("--server-core", c.run.server_core, "Core of the server")->capture_default_str();
    app.add_option("--subject-core", c.tasks.subject_core, "Core of the subject")->capture_default_str();
    add_shared_options(app, c);
    if (auto refused = parse_with(app, argc, argv)) return *refused;
    if (smoke) make_smoke(c);
    return c;
}

} // namespace kubecoro::bench::controllers
