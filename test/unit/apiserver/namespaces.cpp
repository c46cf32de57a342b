// Tests of what every namespace contains from the start.
#include "support.hpp"

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
