// End-to-end tests of evictions that a disruption budget forbids.

#include "churn.hpp"
#include "cluster.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/client/subresources.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/json.hpp>

using namespace kubecoro;
using namespace kubecoro::e2e;
using untyped::pod;

namespace json = boost::json;

namespace {

const resource_type budgets{"policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", true};

/// A budget for the pods with the label app=x.
json::object budget(int at_least)
{
    const json::object labels{{"matchLabels", json::object{{"app", "x"}}}};
    return {{"apiVersion", budgets.api_version()},
            {"kind", budgets.kind},
            {"metadata", json::object{{"name", "b"}}},
            {"spec", json::object{{"minAvailable", at_least}, {"selector", labels}}}};
}

/// The status of the budget, which a controller would write.
json::value status_of_budget(int allowed)
{
    const json::object status{{"disruptionsAllowed", allowed},
                              {"currentHealthy", 1},
                              {"desiredHealthy", 1 - allowed},
                              {"expectedPods", 1},
                              {"observedGeneration", 1}};
    return json::object{{"status", status}};
}

json::value status_of_pod()
{
    const json::array conditions{json::object{{"type", "Ready"}, {"status", "True"}}};
    return json::object{{"status", json::object{{"phase", "Running"}, {"conditions", conditions}}}};
}

} // namespace

TEST_CASE("429: an eviction is refused by a disruption budget, and passes when the budget allows it", "[refusals]")
{
    cluster c;
    const auto ns = c.make_namespace("budget");
    const auto pods = c.api().resource(pod::resource(), ns);
    c.run(pods.create(manifest(pod::resource(), "p", "1", R"(,"labels":{"app":"x"})"))).value();
    c.run(pods.patch("p", patch_kind::merge, status_of_pod(), {}, "status")).value();
    c.make(budgets, ns, "b", json::serialize(budget(1)));
    c.run(c.api().patch(budgets, ns, "b", patch_kind::merge, status_of_budget(0), {}, "status")).value();

    const auto refused = c.run(evict(c.api(), ns, "p"));
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == cond::retry_later);
    REQUIRE(refused.error().status());
    CHECK(refused.error().status()->code == 429);
    CHECK(is_disruption_budget(refused.error()));
    CHECK(c.run(pods.get("p")));

    c.run(c.api().patch(budgets, ns, "b", patch_kind::merge, status_of_budget(1), {}, "status")).value();
    const auto evicted = c.run(evict(c.api(), ns, "p"));
    CHECK(evicted);
    CHECK(c.run(pods.get("p")).error() == cond::not_found);
}
