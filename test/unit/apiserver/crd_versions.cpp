// Tests of the versions of custom resources: their priority, those that are stored, and the fields that selectors use.
#include "support.hpp"

#include "state/version_order.hpp"

#include <algorithm>

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

std::string version(const std::string& name, bool storage, const std::string& more = {})
{
    return R"({"name":")" + name + R"(","served":true,"storage":)" + (storage ? "true" : "false") +
           R"(,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}})" + more +
           "}";
}

std::string definition(const std::string& versions)
{
    return R"({"metadata":{"name":"things.example.com"},"spec":{"group":"example.com","scope":"Namespaced",)"
           R"("names":{"plural":"things","kind":"Thing"},"versions":[)" +
           versions + "]}}";
}

} // namespace

TEST_CASE("versions: stable ones have priority over beta and alpha, later ones over earlier", "[apiserver][crd]")
{
    const std::vector<std::string> order = {"v10",     "v2",        "v1",        "v11beta2", "v3beta10",
                                            "v3beta2", "v12alpha1", "v11alpha2", "bar1",     "foo10",
                                            "v",       "v1gamma1",  "v1beta",    "v1beta1x"};
    std::vector<std::string> sorted = order;
    std::sort(sorted.begin() + 8, sorted.end()); // those of other forms are in the order of their names
    const auto expected = sorted;
    std::reverse(sorted.begin(), sorted.end());
    std::sort(sorted.begin(), sorted.end(), apiserver::has_priority);
    CHECK(sorted == expected);
    for (const auto& each : order) CHECK_FALSE(apiserver::has_priority(each, each));
    CHECK(apiserver::has_priority("v1", "v99999999999999999999"));
}

TEST_CASE("discovery: the versions of a group are in the order of their priority", "[apiserver][crd]")
{
    server s;
    s.expect(201, "POST", crds,
             definition(version("v1alpha1", false) + "," + version("v1beta1", true) + "," + version("v1", false) + "," +
                        version("custom", false) + "," + version("v2", false)));
    const std::string order = "v2 v1 v1beta1 v1alpha1 custom ";
    const auto group = s.expect(200, "GET", "/apis/example.com");
    CHECK(group.at_pointer("/preferredVersion/groupVersion") == "example.com/v2");
    std::string names;
    for (const auto& v : group.at("versions").as_array()) names += std::string(v.at("version").as_string()) + " ";
    CHECK(names == order);

    const auto aggregated =
        s.ask("GET", "/apis", {}, {{"Accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}});
    names.clear();
    const auto document = json::parse(aggregated.body);
    for (const auto& item : document.at("items").as_array()) {
        if (item.at_pointer("/metadata/name") != "example.com") continue;
        for (const auto& v : item.at("versions").as_array()) names += std::string(v.at("version").as_string()) + " ";
    }
    CHECK(names == order);
}
