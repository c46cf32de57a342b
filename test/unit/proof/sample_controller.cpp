// The sample-controller of the examples, proved.
#include <19_sample_controller.cpp>

#include <kubecoro/proof/check_operator.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/json/serialize.hpp>

namespace kt = kubecoro::testing;

TEST_CASE("proof: the sample-controller breaks no promise", "[proof][operators]")
{
    kt::operator_check_options o;
    o.definitions = boost::json::serialize(definition().value());
    o.objects = R"(
apiVersion: samplecontroller.k8s.io/v1alpha1
kind: Foo
metadata: {name: one}
spec: {deploymentName: web, replicas: 2}
---
apiVersion: samplecontroller.k8s.io/v1alpha1
kind: Foo
metadata: {name: two}
spec: {deploymentName: shop}
)";
    o.name = "sample-controller";
    o.live = true;
    o.seeds = 20;
    CHECK(kt::check_operator(add_sample_controller, o));
}
