// The range of seeds that a simulation runs, from its command line and environment.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace kubecoro::simulation {

/// --from N, --seeds N, --seed N, --trace; KUBECORO_SEED=N is --seed N, KUBECORO_LONG multiplies the seeds by ten.
struct seed_range
{
    std::uint64_t from = 1;
    std::uint64_t seeds = 0;
    /// --seed was given.
    bool one = false;
    /// A seed or a range was given.
    bool chosen = false;
    /// Prints each step.
    bool trace = false;

    explicit seed_range(std::uint64_t by_default) : seeds(by_default)
    {
        if (std::getenv("KUBECORO_LONG") != nullptr) seeds *= 10;
        if (const char* seed = std::getenv("KUBECORO_SEED"); seed != nullptr) only(seed);
    }

    /// Takes the argument at `i`, and its value, if it is one of these. @return whether it is.
    bool take(int& i, int argc, char** argv)
    {
        const std::string_view arg = argv[i];
        if (arg == "--trace") {
            trace = true;
            return true;
        }
        if (i + 1 == argc) return false;
        if (arg == "--seed")
            only(argv[++i]);
        else if (arg == "--seeds")
            seeds = std::strtoull(argv[++i], nullptr, 10);
        else if (arg == "--from")
            choose(argv[++i]);
        else
            return false;
        return true;
    }

    /// Returns the seeds to run: the kept ones first, unless a seed or a range was given.
    template<class Kept>
    [[nodiscard]] std::vector<std::uint64_t> all(const Kept& kept_first) const
    {
        std::vector<std::uint64_t> out;
        if (!chosen)
            for (const auto& kept : kept_first) out.push_back(kept.seed);
        for (std::uint64_t i = 0; i < seeds; ++i) out.push_back(from + i);
        return out;
    }

private:
    void choose(const char* seed)
    {
        from = std::strtoull(seed, nullptr, 10);
        chosen = true;
    }
    void only(const char* seed)
    {
        choose(seed);
        seeds = 1;
        one = true;
    }
};

} // namespace kubecoro::simulation
