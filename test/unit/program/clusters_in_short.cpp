// The line about member clusters in the verbose answer of /readyz, which anyone may read.
#include "operator/operator_endpoints.hpp"

#include <kubecoro/test/catch.hpp>

#include <string>
#include <vector>

using namespace kubecoro;
using detail::clusters_in_short;

TEST_CASE("clusters in short: those that are not ready are named, with the class of the reason only", "[program]")
{
    CHECK(clusters_in_short({}).empty());
    const failure secret(cond::unreachable, "hunter2.internal refused");
    const std::vector<cluster_stats> all{
        {.name = "eu", .state = cluster_state::ready},
        {.name = "us", .state = cluster_state::resting, .last_failure = secret},
        {.name = "ap", .state = cluster_state::ready, .trouble = failure(cond::forbidden, "hunter2")},
        {.name = "sa", .state = cluster_state::waiting},
        {.name = "af", .state = cluster_state::ready, .last_failure = secret}}; // has recovered
    CHECK(clusters_in_short(all) == "2 of 5 ready: us resting (unreachable), ap ready (forbidden), sa waiting");
}

TEST_CASE("clusters in short: a limited number is named", "[program]")
{
    std::vector<cluster_stats> all;
    for (int n = 0; n < 30; ++n) all.push_back({.name = "c" + std::to_string(n), .state = cluster_state::joining});
    const auto text = clusters_in_short(all);
    CHECK(text.find("0 of 30 ready: c0 joining, ") == 0);
    CHECK(text.find("c9 joining, and 20 more") != std::string::npos);
    CHECK(text.find("c10") == std::string::npos);
}
