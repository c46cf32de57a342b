// The hand-over of a Lease from one replica to the other.
#include "check/make_scenario.hpp"
#include "course/course.hpp"
#include "keeper.hpp"

#include <kubecoro/client/client.hpp>
#include <kubecoro/test/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace proof_test;
namespace ktd = kubecoro::testing::detail;

namespace {

kt::operator_check_options leading_options()
{
    auto o = keeper_options();
    o.managing.leader_election.lease = "keeper";
    return o;
}

/// The place of the first line from there on that has both texts; the end if there is none.
std::size_t find(const std::vector<std::string>& lines, std::size_t from, const std::string& one,
                 const std::string& other)
{
    while (from < lines.size() &&
           (lines[from].find(one) == std::string::npos || lines[from].find(other) == std::string::npos))
        ++from;
    return from;
}

} // namespace

TEST_CASE("proof: the keeper that leads by a Lease works alone", "[proof]")
{
    auto options = leading_options();
    options.seeds = 5;
    CHECK(check_keeper(planted::nothing, options));
}

TEST_CASE("proof: a replica that works without leading is found", "[proof]")
{
    auto options = leading_options();
    options.crashes = false;
    options.seeds = 10;
    options.reductions = 0;
    const auto report = check_keeper(planted::works_without_leading, options);
    const auto& all = report.findings;
    CHECK(std::any_of(all.begin(), all.end(), [](const auto& f) { return f.which == kt::oracle::writes_as_leader; }));
}

TEST_CASE("proof: a leader that is cut off loses the Lease, and its request arrives late", "[proof]")
{
    const auto options = leading_options();
    const ktd::operator_function add = [](kubecoro::manager& m, const kubecoro::client& shop) {
        add_keeper(m, planted::nothing, shop);
    };
    const auto about = ktd::make_scenario(add, options).value();
    const auto reference = ktd::course(about, {}, 1, nullptr, false).run();
    const auto& all = reference.answered;
    const auto at = std::find_if(all.begin(), all.end(), [](const auto& t) { return t.method == "POST"; });
    REQUIRE(at != all.end());
    // The replica that leads makes an event about it, which is a request more.
    const ktd::planned_fault cut{
        .kind = ktd::fault_kind::handed_over, .request = at->number + 1, .lasts = std::chrono::seconds{20}};
    const ktd::run_plan plan{cut};
    const auto out = ktd::course(about, plan, 1, &reference.states, true).run();
    CAPTURE(out.trace);
    CHECK(out.broken.empty());
    const auto first = find(out.trace, 0, "lease", "is held by replica-1");
    const auto second = find(out.trace, first, "lease", "is held by replica-2");
    const auto made = find(out.trace, second, "replica-2 request", "POST /api/v1/namespaces/default/configmaps -> 201");
    const auto late = find(out.trace, made, "replica-1 request", "POST /api/v1/namespaces/default/configmaps -> 409");
    CHECK(late < out.trace.size());
}
