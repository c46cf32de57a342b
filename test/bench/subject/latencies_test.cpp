#include "latencies.hpp"

#include <kubecoro/test/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using kubecoro::bench::latencies;

TEST_CASE("latencies: no value, one value, and values out of range")
{
    latencies l;
    CHECK(l.microseconds(0.5) == 0);
    l.record(1'500);
    CHECK(std::abs(l.microseconds(0.5) - 1.5) < 0.05);
    CHECK(l.microseconds(1) == 1.5);
    l.record(-5);
    CHECK(l.microseconds(0) == 0);
    l.record(std::int64_t{1} << 50);
    CHECK(l.microseconds(1) == static_cast<double>(std::int64_t{1} << 50) / 1e3);
    CHECK(l.count() == 3);
    l.clear();
    CHECK(l.count() == 0);
}

TEST_CASE("latencies: percentiles are accurate to 3 % for any values")
{
    const auto seed = std::random_device{}();
    INFO("seed " << seed);
    std::mt19937 random(seed);
    std::lognormal_distribution<double> values(11, 2);
    latencies l;
    std::vector<double> all;
    for (int i = 0; i < 20'000; ++i) {
        const auto ns = static_cast<std::int64_t>(values(random));
        l.record(ns);
        all.push_back(static_cast<double>(ns) / 1e3);
    }
    std::sort(all.begin(), all.end());
    for (double share : {0.01, 0.5, 0.9, 0.99, 0.999, 1.0}) {
        const auto rank = static_cast<std::size_t>(share * static_cast<double>(all.size()) + 0.999999) - 1;
        CHECK(std::abs(l.microseconds(share) - all[rank]) <= 0.03 * all[rank] + 0.002);
    }
}
