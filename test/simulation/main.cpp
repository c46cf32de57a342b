// test_simulation [--from N] [--seeds N] [--seed N] [--trace] [--no-faults] [--statistics] [--storage POLICY]
//                 [--controllers yes|no] [--order fifo|shuffled] [--hostile yes|no] [--watches json|protobuf]
//
// Without --storage the seeds alternate between plain, compressed and metadata_only. Without --controllers every second
// world has one, without --order one in three is shuffled, without --hostile every second group of four is hostile,
// without --watches two in five watch in protobuf. Two in five have collections.
//
// Runs the kept seeds, then one world per seed, and ends with the first that breaks a promise. KUBECORO_SEED=N is
// --seed N; KUBECORO_LONG multiplies the number of seeds by ten.

#include "kept_seeds.hpp"
#include "seed_range.hpp"
#include "world.hpp"

#include <kubecoro/base/hash.hpp>

#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace kubecoro::simulation;

#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
constexpr std::uint64_t default_seeds = 500;
#else
constexpr std::uint64_t default_seeds = 100;
#endif

struct command_line
{
    seed_range worlds{default_seeds};
    bool faults = true;
    bool statistics = false;
    std::optional<kubecoro::storage> keep = {};
    std::optional<bool> controlled = {};
    std::optional<bool> hostile = {};
    std::optional<kubecoro::wire_form> watches = {};
    std::optional<kubecoro::testing::ready_order> order = {};
};

constexpr std::array policies{kubecoro::storage::plain, kubecoro::storage::compressed,
                              kubecoro::storage::metadata_only};

int usage()
{
    std::fputs("usage: test_simulation [--seed N | --from N --seeds N] [--trace] [--no-faults] [--statistics] "
               "[--storage plain|compressed|metadata_only] [--controllers yes|no] [--order fifo|shuffled] "
               "[--hostile yes|no] [--watches json|protobuf]\n",
               stderr);
    return 2;
}

void show_failure(std::uint64_t seed, const verdict& v)
{
    std::printf("%s\nseed %llu: BROKEN: %s\n", v.last_steps.c_str(), static_cast<unsigned long long>(seed),
                v.broken.c_str());
    std::printf("again: test_simulation --seed %llu --trace\n", static_cast<unsigned long long>(seed));
}

/// The current seed, for the one report that can be printed after a crash.
char crash_report[64];

void on_crash(int signal)
{
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, crash_report, std::strlen(crash_report));
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

verdict run(std::uint64_t seed, const command_line& c)
{
    std::snprintf(crash_report, sizeof crash_report, "\nseed %llu: CRASHED\n", static_cast<unsigned long long>(seed));
    const auto keep = c.keep.value_or(policies[seed % policies.size()]);
    const bool controlled = c.controlled.value_or(seed % 2 == 1);
    const auto order =
        seed / 2 % 3 == 1 ? kubecoro::testing::ready_order::shuffled : kubecoro::testing::ready_order::fifo;
    world w({.seed = seed,
             .echo = c.worlds.trace,
             .faults = c.faults,
             .keep = keep,
             .controlled = controlled,
             .hostile = c.hostile.value_or(seed % 8 >= 4),
             .watches = c.watches.value_or(watches_of(seed)),
             .derived = seed % 5 == 2 || seed % 5 == 3,
             .order = c.order.value_or(order)});
    return w.run();
}

/// The same seed must give the same world.
bool repeats(std::uint64_t seed, const verdict& first, const command_line& c)
{
    auto again_options = c;
    again_options.worlds.trace = false;
    const auto again = run(seed, again_options);
    if (again.hash == first.hash && again.steps == first.steps) return true;
    std::printf("seed %llu: BROKEN: a second run took another course (%llu and %llu steps)\n",
                static_cast<unsigned long long>(seed), static_cast<unsigned long long>(first.steps),
                static_cast<unsigned long long>(again.steps));
    return false;
}

void add(verdict& sum, const verdict& v)
{
    sum.steps += v.steps;
    sum.notifications += v.notifications;
    sum.lists += v.lists;
    sum.streamed_lists += v.streamed_lists;
    sum.fallbacks += v.fallbacks;
    sum.silences += v.silences;
    sum.relists += v.relists;
    sum.reconnects += v.reconnects;
    sum.coalesced += v.coalesced;
    sum.quiet_points += v.quiet_points;
    sum.exact_comparisons += v.exact_comparisons;
    sum.controlled += v.controlled;
    sum.controllers += v.controllers;
    sum.runs += v.runs;
    sum.waits += v.waits;
    sum.stale_answers += v.stale_answers;
    sum.derived += v.derived;
}

int run_all(const command_line& c)
{
    const auto begin = std::chrono::steady_clock::now();
    verdict sum;
    const auto seeds = c.worlds.all(kept_seeds);
    for (const auto seed : seeds) {
        const auto v = run(seed, c);
        if (!v.broken.empty()) {
            show_failure(seed, v);
            return 1;
        }
        if ((c.worlds.one || seed % 20 == 0) && !repeats(seed, v, c)) return 1;
        add(sum, v);
    }
    const auto n = [](std::uint64_t x) { return static_cast<unsigned long long>(x); };
    std::printf(
        "%llu worlds kept every promise: %llu steps, %llu quiet points, %llu notifications (%llu merged), "
        "%llu lists, %llu streamed lists, %llu fallbacks, %llu relists, %llu reconnects, %llu silent watches ended, "
        "%llu exact comparisons, %llu impatient waits, %llu answers of caches that stood still, "
        "%llu changes of collections\n%llu of them with a "
        "controller: %llu controllers, %llu runs\n",
        n(seeds.size()), n(sum.steps), n(sum.quiet_points), n(sum.notifications), n(sum.coalesced), n(sum.lists),
        n(sum.streamed_lists), n(sum.fallbacks), n(sum.relists), n(sum.reconnects), n(sum.silences),
        n(sum.exact_comparisons), n(sum.waits), n(sum.stale_answers), n(sum.derived), n(sum.controlled),
        n(sum.controllers), n(sum.runs));
    if (c.statistics) {
        const auto ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
        std::printf("%.1f ms a world\n", ms / static_cast<double>(seeds.size()));
    }
    // A simulation without activity proves nothing.
    const bool lively = sum.notifications > 0 && (c.worlds.one || sum.quiet_points > 0);
    if (!lively) std::printf("BROKEN: nothing happened\n");
    return lively ? 0 : 1;
}

} // namespace

int main(int argc, char** argv)
{
    setenv("KUBECORO_LOG", "off", 0); // the simulation provokes failures
    // The seed determines the world, so it also fixes the order of tables.
    if (!kubecoro::fix_hash_secrets(1)) return 1;
    for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE}) std::signal(signal, on_crash);
    command_line c;
    for (int i = 1; i < argc; ++i) {
        const std::string_view arg = argv[i];
        const bool has_value = i + 1 < argc;
        if (c.worlds.take(i, argc, argv)) continue;
        if (arg == "--no-faults") {
            c.faults = false;
        } else if (arg == "--controllers" && has_value) {
            c.controlled = std::string_view(argv[++i]) == "yes";
        } else if (arg == "--hostile" && has_value) {
            c.hostile = std::string_view(argv[++i]) == "yes";
        } else if (arg == "--watches" && has_value) {
            c.watches =
                std::string_view(argv[++i]) == "protobuf" ? kubecoro::wire_form::protobuf : kubecoro::wire_form::json;
        } else if (arg == "--order" && has_value) {
            c.order = std::string_view(argv[++i]) == "shuffled" ? kubecoro::testing::ready_order::shuffled
                                                                : kubecoro::testing::ready_order::fifo;
        } else if (arg == "--statistics") {
            c.statistics = true;
        } else if (arg == "--storage" && has_value) {
            const std::string_view wanted = argv[++i];
            for (const auto p : policies)
                if (wanted == to_string(p)) c.keep = p;
            if (!c.keep) return usage();
        } else {
            return usage();
        }
    }
    return run_all(c);
}
