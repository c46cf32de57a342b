// The line about member clusters in the verbose answer of /readyz, which anyone may read.
#include "operator/operator_endpoints.hpp"

#include <kubecoro/test/catch.hpp>

#include <string>
#include <vector>

using namespace kubecoro;
using detail::clusters_in_short;

TEST_CASE("clusters in short: those that are not ready are counted by the class of the reason, and not named",
          "[program]")
{
    CHECK(clusters_in_short({}).empty());
    const failure secret(cond::unreachable, "hunter2.internal refused");
    const std::vector<cluster_stats> all{
        {.name = "eu", .state = cluster_state::ready},
        {.name = "us", .state = cluster_state::resting, .last_failure = secret},
        {.name = "ca", .state = cluster_state::resting, .last_failure = secret},
        {.name = "ap", .state = cluster_state::ready, .trouble = failure(cond::forbidden, "hunter2")},
        {.name = "sa", .state = cluster_state::waiting},
        {.name = "af", .state = cluster_state::ready, .last_failure = secret}}; // has recovered
    CHECK(clusters_in_short(all) == "2 of 6 ready; 1 not updated (forbidden); 2 resting (unreachable); 1 waiting");
}
