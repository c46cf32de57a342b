// Each defect of the keeper is found, and the keeper without one has none.
#include "keeper.hpp"

#include <kubecoro/test/catch.hpp>

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

using namespace proof_test;
using kt::oracle;

namespace {

bool has(const kt::operator_report& r, oracle which)
{
    return std::any_of(r.findings.begin(), r.findings.end(), [&](const auto& f) { return f.which == which; });
}

/// The oracle that finds a defect, and the cheapest runs in which it does.
struct expected
{
    planted defect;
    oracle which;
    bool crashes = false;
    std::size_t seeds = 0;
    std::uint64_t first_seed = 1;
};

} // namespace

TEST_CASE("proof: the keeper without a defect breaks no promise", "[proof]")
{
    auto options = keeper_options();
    options.seeds = 20;
    const auto report = check_keeper(planted::nothing, options);
    CHECK(report);
    CHECK(report.runs > 100);
    CHECK(report.requests > 5);
}

TEST_CASE("proof: an operator that orders under a name gets one thing", "[proof]")
{
    auto options = keeper_options();
    options.seeds = 30;
    CHECK(check_keeper(planted::orders_once, options));
}

TEST_CASE("proof: the same seed gives the same bytes", "[proof]")
{
    auto options = keeper_options();
    options.seeds = 3;
    options.reductions = 4;
    options.crashes = false;
    const auto once = check_keeper(planted::leaves_children, options);
    REQUIRE_FALSE(once);
    CHECK(describe(once) == describe(check_keeper(planted::leaves_children, options)));
    CHECK(to_json(once) == to_json(check_keeper(planted::leaves_children, options)));
}

TEST_CASE("proof: every planted defect is found", "[proof]")
{
    const auto e = GENERATE(values<expected>({
        {planted::forgets_what_it_made, oracle::converges, true},
        {planted::trusts_its_store, oracle::converges, false, 60},
        {planted::takes_what_is_there, oracle::spares_others},
        {planted::deletes_by_label, oracle::spares_others},
        {planted::leaves_children, oracle::cleans_up},
        {planted::never_finishes, oracle::ends_finalizers},
        {planted::writes_in_each_run, oracle::stays_converged},
        {planted::tells_everything, oracle::stays_converged},
        {planted::orders_twice, oracle::converges, false, 60},
        {planted::gives_up_when_refused, oracle::converges, false, 60},
        {planted::swallows_failures, oracle::cleans_up, true},
        {planted::ignores_children, oracle::converges, true},
        {planted::keeps_the_first_text, oracle::converges, true},
        {planted::never_waits, oracle::converges},
        {planted::throws, oracle::runs_well},
        {planted::logs_secrets, oracle::keeps_secrets},
        {planted::lacks_a_right, oracle::declares_rights},
        {planted::has_a_right_too_many, oracle::uses_rights},
    }));
    auto options = keeper_options();
    options.crashes = e.crashes;
    options.seeds = e.seeds;
    options.first_seed = e.first_seed;
    options.reductions = 0;
    const auto report = check_keeper(e.defect, options);
    CAPTURE(static_cast<int>(e.defect), report);
    CHECK_FALSE(report);
    CHECK(has(report, e.which));
    if (e.which == oracle::uses_rights) CHECK(report.findings.size() == 1); // lists are streamed, and need their right
}
