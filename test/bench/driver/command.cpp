#include "command.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <sstream>

namespace kubecoro::bench {

namespace {

/// A few minutes.
void make_quick(bench_options& o)
{
    o.rounds = 2;
    o.tail_rounds = 0;
    o.objects = {20'000};
    o.paced_s = 3;
    o.warm_mb = 2'000;
    o.only_small = true;
    o.no_variants = true;
    o.no_micro = true;
}

/// A few seconds: whether everything works, not how fast.
void make_smoke(bench_options& o)
{
    o.rounds = 1;
    o.tail_rounds = 1;
    o.objects = {300};
    o.paced_s = 0;
    o.tail_s = 0;
    o.warm_mb = 0;
    o.no_micro = true;
}

} // namespace

std::variant<command, refusal> parse_command(int argc, const char* const* argv)
{
    command c;
    auto& b = c.bench;
    bool quick = false;
    bool smoke = false;
    CLI::App app{"Measures kubecoro beside client-go and kube-rs on replayed data."};
    app.add_option("NAME", b.names, "Workloads; all without")->check(CLI::IsMember(workload_names()));
    app.add_flag("--quick", quick, "20,000 small pods on one core, two short rounds, no variants");
    app.add_flag("--smoke", smoke, "300 objects, one round: only whether it works");
    auto* rounds = app.add_option("--rounds", b.rounds, "Rounds, subjects interleaved")->check(CLI::Range(1, 1000));
    app.add_option("--tail-rounds", b.tail_rounds, "Rounds with the 120 s runs");
    auto* objects = app.add_option("--objects", b.objects, "Sizes of the small data set")->delimiter(',');
    app.add_option("--subjects", b.subjects, "Beginnings of the subjects' names; all without")->delimiter(',');
    app.add_flag("--only-small", b.only_small, "Small pods on one core only");
    app.add_option("--out", c.out, "Results as JSON")->capture_default_str();
    app.add_option("--docs", c.docs, "Document whose results are renewed");
    app.add_option("--peers", c.peers, "Folder of the peers' programs")->capture_default_str();
    app.add_flag("--merge", c.merge, "Keep what an earlier run measured and this one does not");
    app.add_flag("--report-only", c.report_only, "Measure nothing, report what --out holds");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        std::ostringstream out;
        const int status = app.exit(e, out, out);
        return refusal{out.str(), status};
    }
    const auto asked = b;
    if (quick) make_quick(b);
    if (smoke) make_smoke(b);
    if (rounds->count()) b.rounds = asked.rounds;
    if (objects->count()) b.objects = asked.objects;
    std::erase(b.objects, 0u);
    return c;
}

} // namespace kubecoro::bench
