// Tests of what every namespace contains from the start.
#include "support.hpp"

#include <kubecoro/apiserver/detail/cluster_state_core.hpp>
#include <kubecoro/client/manifests.hpp>

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string web = "/api/v1/namespaces/web/";

} // namespace

TEST_CASE("namespaces: each has a service account and the root certificates, if asked for", "[apiserver][namespaces]")
{
    server s{{.namespace_defaults = true}};
    CHECK(s.state.objects("serviceaccounts").size() == 4);
    s.add_namespace("web");
    CHECK(s.expect(200, "GET", web + "serviceaccounts/default").at_pointer("/metadata/name") == "default");
    const auto map = s.expect(200, "GET", web + "configmaps/kube-root-ca.crt");
    CHECK(map.at_pointer("/metadata/annotations/kubernetes.io~1description").as_string().starts_with("Contains a CA"));
    CHECK(json::serialize(map.at("data")) == R"({"ca.crt":""})");
    // A namespace with defaults can be removed.
    s.expect(200, "DELETE", "/api/v1/namespaces/web");
    s.expect(404, "GET", "/api/v1/namespaces/web");
    CHECK(s.state.objects("configmaps").size() == 4);
    CHECK(server().state.objects("configmaps").empty());
}

TEST_CASE("namespaces: what is deleted comes again, and other objects of these names do not", "[apiserver][namespaces]")
{
    server s{{.namespace_defaults = true}};
    const auto uid = [&](const std::string& at) {
        return std::string(s.expect(200, "GET", at).at_pointer("/metadata/uid").as_string());
    };
    const std::string account = "/api/v1/namespaces/default/serviceaccounts/default";
    const auto first = uid(account);
    s.expect(200, "DELETE", account);
    CHECK(uid(account) != first);
    s.expect(201, "POST", "/api/v1/namespaces/default/secrets", R"({"metadata":{"name":"default"}})");
    s.expect(200, "DELETE", "/api/v1/namespaces/default/secrets/default");
    s.expect(404, "GET", "/api/v1/namespaces/default/secrets/default");
}

TEST_CASE("namespaces: certificates are published in all of them, and once", "[apiserver][namespaces]")
{
    server s{{.namespace_defaults = true}};
    s.state.publish_root_ca("A\n");
    const auto version = s.state.resource_version();
    s.state.publish_root_ca("A\n");
    CHECK(s.state.resource_version() == version);
    s.state.publish_root_ca("B\n");
    s.add_namespace("web");
    for (const std::string ns : {"web", "kube-system"})
        CHECK(
            s.expect(200, "GET", "/api/v1/namespaces/" + ns + "/configmaps/kube-root-ca.crt").at("data").at("ca.crt") ==
            "A\nB\n");
    server bare;
    bare.state.publish_root_ca("A\n");
    CHECK(bare.state.objects("configmaps").empty());
}

TEST_CASE("namespaces: those of a saved state are furnished when it is restored", "[apiserver][namespaces]")
{
    server before;
    before.add_namespace("web");
    server s{{.namespace_defaults = true}};
    REQUIRE(s.state.restore(before.state.dump(), s.now));
    s.expect(200, "GET", web + "serviceaccounts/default");
}

TEST_CASE("cluster defaults: the Service kubernetes leads to the server, if asked for", "[apiserver][namespaces]")
{
    const std::string service = "/api/v1/namespaces/default/services/kubernetes";
    const std::string endpoints = "/api/v1/namespaces/default/endpoints/kubernetes";
    const std::string slice = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes";
    server s{{.namespace_defaults = true}};
    const auto made = s.expect(200, "GET", service);
    CHECK(json::serialize(made.at_pointer("/metadata/labels")) ==
          R"({"component":"apiserver","provider":"kubernetes"})");
    CHECK(made.at_pointer("/spec/clusterIP") == "10.96.0.1");
    CHECK(json::serialize(made.at_pointer("/spec/ports")) ==
          R"([{"name":"https","protocol":"TCP","port":443,"targetPort":6443}])");
    CHECK(made.at_pointer("/spec/ipFamilyPolicy") == "SingleStack");
    s.expect(404, "GET", endpoints);
    s.state.publish_endpoint("192.0.2.1", 7443, s.now);
    CHECK(s.expect(200, "GET", service).at_pointer("/spec/ports/0/targetPort") == 7443);
    const auto subset = s.expect(200, "GET", endpoints).at_pointer("/subsets/0");
    CHECK(json::serialize(subset) ==
          R"({"addresses":[{"ip":"192.0.2.1"}],"ports":[{"name":"https","port":7443,"protocol":"TCP"}]})");
    CHECK(s.expect(200, "GET", endpoints)
              .at_pointer("/metadata/labels")
              .as_object()
              .contains("endpointslice.kubernetes.io/skip-mirror"));
    const auto sliced = s.expect(200, "GET", slice);
    CHECK(sliced.at("addressType") == "IPv4");
    CHECK(json::serialize(sliced.at("endpoints")) == R"([{"addresses":["192.0.2.1"],"conditions":{"ready":true}}])");
    CHECK(sliced.at_pointer("/metadata/labels/kubernetes.io~1service-name") == "kubernetes");
    // They come again when they are deleted.
    for (const auto& at : {service, endpoints, slice}) {
        s.expect(200, "DELETE", at);
        CHECK(s.expect(200, "GET", at).at_pointer("/metadata/uid") != made.at_pointer("/metadata/uid"));
    }
    // Another address replaces the first one.
    s.state.publish_endpoint("2001:db8::1", 7443, s.now);
    CHECK(s.expect(200, "GET", endpoints).at_pointer("/subsets/0/addresses/0/ip") == "2001:db8::1");
    CHECK(s.state.objects("services").size() == 1);
    server bare;
    bare.state.publish_endpoint("192.0.2.1", 7443, bare.now);
    CHECK(bare.state.objects("services").empty());
    CHECK(bare.state.objects("endpoints").empty());
}

TEST_CASE("cluster defaults: a saved state keeps its services, and gets the Service kubernetes",
          "[apiserver][namespaces]")
{
    server before;
    before.expect(201, "POST", "/api/v1/namespaces/default/services",
                  R"({"metadata":{"name":"first"},"spec":{"clusterIP":"10.96.0.1","ports":[{"port":1}]}})");
    server s{{.namespace_defaults = true}};
    s.state.publish_endpoint("192.0.2.1", 7443, s.now);
    REQUIRE(s.state.restore(before.state.dump(), s.now));
    const auto made = s.expect(200, "GET", "/api/v1/namespaces/default/services/kubernetes");
    CHECK(made.at_pointer("/spec/clusterIP") != "10.96.0.1");
    CHECK(made.at_pointer("/spec/ports/0/targetPort") == 7443);
    s.expect(200, "GET", "/api/v1/namespaces/default/endpoints/kubernetes");
}

TEST_CASE("cluster defaults: the Service kubernetes of a manifest keeps the address that it has here",
          "[apiserver][namespaces]")
{
    server s{{.namespace_defaults = true}};
    auto objects = load_manifests(
        R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"kubernetes","namespace":"default"},"spec":)"
        R"({"clusterIP":"10.43.0.1","clusterIPs":["10.43.0.1"],"ports":[{"name":"https","port":443}]}})",
        "exported");
    REQUIRE(objects);
    REQUIRE(apiserver::apply_manifests(s.state, std::move(*objects), s.now));
    CHECK(s.expect(200, "GET", "/api/v1/namespaces/default/services/kubernetes").at_pointer("/spec/clusterIP") ==
          "10.96.0.1");
}

TEST_CASE("cluster defaults: the priority classes of the system are there, and stay", "[apiserver][namespaces]")
{
    const std::string classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
    server s{{.namespace_defaults = true}};
    CHECK(s.expect(200, "GET", classes + "/system-node-critical").at("value") == 2000001000);
    CHECK(s.expect(200, "GET", classes + "/system-cluster-critical").at("value") == 2000000000);
    CHECK(s.expect(403, "DELETE", classes + "/system-node-critical").at("message") ==
          R"(priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: this is a system priority class )"
          R"(and cannot be deleted)");
    CHECK(server().state.objects("priorityclasses.scheduling.k8s.io").empty());
}
