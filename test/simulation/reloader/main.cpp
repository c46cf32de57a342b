// test_simulation_config_reloader [--from N] [--seeds N] [--seed N] [--trace]
//
// Runs one world per seed and ends with the first that breaks a promise. KUBECORO_SEED=N is --seed N; KUBECORO_LONG
// multiplies the number of seeds by ten.

#include "kept_seeds.hpp"
#include "reloader_world.hpp"
#include "seed_range.hpp"

#include <kubecoro/base/hash.hpp>

#include <cstdio>

namespace {

using namespace kubecoro::simulation;

#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
constexpr std::uint64_t default_seeds = 150;
#else
constexpr std::uint64_t default_seeds = 50;
#endif

reloader_verdict run(std::uint64_t seed, bool trace)
{
    reloader_world w(seed, trace);
    return w.run();
}

/// The same seed must give the same world.
bool repeats(std::uint64_t seed, const reloader_verdict& first)
{
    const auto again = run(seed, false);
    if (again.hash == first.hash && again.steps == first.steps) return true;
    std::printf("seed %llu: BROKEN: a second run took another course\n", static_cast<unsigned long long>(seed));
    return false;
}

int run_all(const seed_range& c)
{
    reloader_verdict sum;
    const auto n = [](std::uint64_t x) { return static_cast<unsigned long long>(x); };
    const auto seeds = c.all(kept_reloader_seeds);
    for (const auto seed : seeds) {
        const auto v = run(seed, c.trace);
        if (!v.broken.empty()) {
            std::printf("%s\nseed %llu: BROKEN: %s\nagain: test_simulation_config_reloader --seed %llu --trace\n",
                        v.last_steps.c_str(), n(seed), v.broken.c_str(), n(seed));
            return 1;
        }
        if ((c.one || seed % 20 == 0) && !repeats(seed, v)) return 1;
        sum.steps += v.steps;
        sum.rolls += v.rolls;
        sum.operators += v.operators;
        sum.quiet_points += v.quiet_points;
    }
    std::printf("%llu worlds kept every promise: %llu steps, %llu rolls, each with a cause of its own, %llu operators, "
                "%llu quiet points\n",
                n(seeds.size()), n(sum.steps), n(sum.rolls), n(sum.operators), n(sum.quiet_points));
    // A simulation without activity proves nothing.
    if (!c.one && sum.rolls == 0) std::printf("BROKEN: nothing happened\n");
    return !c.one && sum.rolls == 0 ? 1 : 0;
}

} // namespace

int main(int argc, char** argv)
{
    // The seed determines the world, so it also fixes the order of tables.
    if (!kubecoro::fix_hash_secrets(1)) return 1;
    seed_range c(default_seeds);
    for (int i = 1; i < argc; ++i) {
        if (c.take(i, argc, argv)) continue;
        std::fputs("usage: test_simulation_config_reloader [--seed N | --from N --seeds N] [--trace]\n", stderr);
        return 2;
    }
    return run_all(c);
}
