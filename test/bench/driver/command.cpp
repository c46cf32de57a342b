#include "command.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

namespace kubecoro::bench {

namespace {

void only_small(bench_options& o)
{
    o.data = {"small"};
    o.cores = {1};
}

/// --quick: a few minutes.
void make_quick(bench_options& o)
{
    o.rounds = 2;
    o.rounds_of = {{"tail", 0}};
    o.objects = {20'000};
    o.paced_s = 3;
    o.warm_mb = 2'000;
    o.no_variants = true;
    o.no_micro = true;
    only_small(o);
    o.data.emplace_back("operator");
}

/// --smoke: a few seconds; shows only whether everything works.
void make_smoke(bench_options& o)
{
    o.rounds = 1;
    o.rounds_of = {};
    o.objects = {300};
    o.paced_s = 0;
    o.tail_s = 0;
    o.queue_keys = 2'000;
    o.micro_s = 0.001;
    o.warm_mb = 0;
}

std::optional<unsigned> whole_number(std::string_view text)
{
    unsigned n = 0;
    const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (bad != std::errc() || end != text.data() + text.size() || n > 1000) return {};
    return n;
}

/// Parses "5", "tail=2" or "5,tail=2,relist=3" into the options. Returns the unreadable part, empty when none.
std::string take_rounds(const std::string& text, bench_options& o)
{
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, ',');) {
        const auto equals = part.find('=');
        const auto count = whole_number(equals == std::string::npos ? part : part.substr(equals + 1));
        if (!count) return part;
        if (equals == std::string::npos) {
            o.rounds = *count;
            for (auto& [workload, rounds] : o.rounds_of) rounds = std::min(rounds, o.rounds);
            continue;
        }
        const auto& known = workload_names();
        const auto name = part.substr(0, equals);
        if (std::find(known.begin(), known.end(), name) == known.end()) return part;
        o.rounds_of[name] = *count;
    }
    return {};
}

} // namespace

std::variant<command, refusal> parse_command(int argc, const char* const* argv)
{
    command c;
    c.out = "build/bench/results.json";
    auto& b = c.bench;
    bool quick = false;
    bool smoke = false;
    bool small = false;
    std::string rounds;
    CLI::App app{"Measures kubecoro beside client-go and kube-rs on replayed data."};
    app.add_option("NAME", b.names, "Workloads (default: all)")->check(CLI::IsMember(workload_names()));
    app.add_flag("--quick", quick, "20,000 small pods on one core, two short rounds, no variants");
    app.add_flag("--smoke", smoke, "300 objects, one round: checks only that everything works");
    app.add_option("--rounds", rounds, "Rounds, subjects interleaved: 5, or 5,tail=2 (default 5,tail=3)");
    auto* objects =
        app.add_option("--objects", b.objects, "Sizes of the small data set")->delimiter(',')->allow_extra_args(false);
    add_subjects_option(app, b.subjects, all_subjects({}, {}));
    add_shared_options(app, c);
    app.add_option("--data", b.data, "Kinds of data (default: all)")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember({"small", "split", "large", "low", "custom", "operator"}));
    app.add_option("--cores", b.cores, "Cores that small pods are measured on (default 1,2)")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember({1, 2}));
    app.add_flag("--only-small", small, "Same as --data small --cores 1");
    app.add_option("--limit", b.limit_s, "Seconds that a subject may take for a command")->capture_default_str();
    app.add_option("--before", c.before, "Folder of another build's kubecoro_bench_subject, to compare with")
        ->check(CLI::ExistingDirectory);
    app.add_flag("--merge", c.merge, "Keep earlier results that this run does not measure");
    if (auto refused = parse_with(app, argc, argv)) return *refused;
    const auto asked = b.objects;
    if (quick) make_quick(b);
    if (smoke) make_smoke(b);
    if (small) only_small(b);
    if (objects->count()) b.objects = asked;
    if (auto unread = take_rounds(rounds, b); !unread.empty())
        return refusal{"not a number of rounds: " + unread + "\n", 2};
    std::erase(b.objects, 0u);
    return c;
}

} // namespace kubecoro::bench
