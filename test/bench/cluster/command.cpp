#include "command.hpp"

#include "subjects.hpp"

#include <CLI/CLI.hpp>

namespace kubecoro::bench::live {

namespace {

/// --quick: a few minutes; shows whether everything works.
void make_quick(command& c)
{
    c.plan.pods = {2'000};
    c.plan.widgets = 500;
    c.plan.requests = 200;
    c.run.rounds = 1;
    c.run.rate = 200;
    c.run.seconds = 2;
    c.run.limit_s = 60;
    c.run.warm_mb = 0;
    if (c.plan.names.empty())
        c.plan.names = {"sync", "relist", "latency", "updates-10", "gets", "creates", "watches-100"};
}

} // namespace

std::variant<command, refusal> parse_command(int argc, const char* const* argv)
{
    command c;
    c.out = "build/bench/cluster.json";
    bool quick = false;
    CLI::App app{"Measures kubecoro beside client-go and kube-rs on a real kube-apiserver, which it starts."};
    app.add_option("NAME", c.plan.names, "Workloads (default: all)")->check(CLI::IsMember(workload_names()));
    app.add_flag("--quick", quick, "2,000 pods, one round: shows only whether everything works");
    auto* rounds = app.add_option("--rounds", c.run.rounds, "Rounds, subjects interleaved")->capture_default_str();
    auto* pods = app.add_option("--pods", c.plan.pods, "Numbers of pods (default: 20000,50000)")
                     ->delimiter(',')
                     ->allow_extra_args(false);
    auto* widgets = app.add_option("--widgets", c.plan.widgets, "Custom resources; 0 = none")->capture_default_str();
    auto* requests =
        app.add_option("--requests", c.plan.requests, "Requests of each kind; 0 = none")->capture_default_str();
    add_subjects_option(app, c.plan.subjects, all_subjects({}, {}));
    add_shared_options(app, c);
    app.add_option("--rate", c.run.rate, "Writes a second while many informers watch")->capture_default_str();
    app.add_option("--paced-rate", c.run.paced_rate, "Writes a second for latency")->capture_default_str();
    app.add_option("--seconds", c.run.seconds, "Length of both")->capture_default_str();
    app.add_option("--hold", c.run.hold_s, "Seconds for which idle watches are held")->capture_default_str();
    app.add_option("--limit", c.run.limit_s, "Seconds that a subject may take for a command")->capture_default_str();
    app.add_option("--cluster", c.cluster, "The script that starts the server")->capture_default_str();
    app.add_option("--kubectl", c.kubectl, "The kubectl that belongs to it")->capture_default_str();
    app.add_flag("--keep", c.keep, "Leave the cluster running, with its objects, for the next run");
    if (auto refused = parse_with(app, argc, argv)) return *refused;
    const auto asked = c;
    if (quick) make_quick(c);
    if (pods->count()) c.plan.pods = asked.plan.pods;
    if (widgets->count()) c.plan.widgets = asked.plan.widgets;
    if (requests->count()) c.plan.requests = asked.plan.requests;
    if (rounds->count()) c.run.rounds = asked.run.rounds;
    return c;
}

} // namespace kubecoro::bench::live
