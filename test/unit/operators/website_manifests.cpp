// The manifests of the website operator say what its code declares.
#include "website_fixture.hpp"

#include <kubecoro/apiserver/manifests.hpp>
#include <kubecoro/manager/access_right.hpp>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <fstream>
#include <iterator>

using namespace website_test;
namespace json = boost::json;

namespace {

std::string text_of(const std::string& name)
{
    std::ifstream file(std::string(KUBECORO_WEBSITE_MANIFESTS) + "/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The program's options, as main() sets them.
std::string declared_rights()
{
    kt::runner run;
    apiserver::embedded_server server(run.executor(), {});
    manager_options o{.name = "website", .leader_election = {.lease = "website", .ns = "website"}};
    manager m(client(run.executor(), std::make_shared<apiserver::in_process_transport>(server)), std::move(o));
    add_websites(m);
    const auto text = rbac_manifest(m.rights(), {.name = "website", .ns = "website"});
    CHECK(run.run(server.stop()));
    return text;
}

} // namespace

TEST_CASE("website: its manifest of rights is what --print-rbac prints", "[manifests]")
{
    CHECK(text_of("rbac.yaml") == declared_rights());
}

TEST_CASE("website: its definition is what --print-crd prints", "[manifests]")
{
    CHECK(text_of("crd.yaml") == definition().value());
}

TEST_CASE("website: the manifest runs it unprivileged, with probes, election and time to stop", "[manifests]")
{
    const auto all = apiserver::load_manifests(text_of("operator.yaml"), "operator.yaml").value();
    REQUIRE(all.size() == 2);
    const auto& pod = all[1].at("spec").at("template").at("spec");
    CHECK(pod.at("serviceAccountName") == "website");
    CHECK(pod.at("securityContext").at("runAsNonRoot") == true);
    CHECK(pod.at("terminationGracePeriodSeconds").as_int64() >= 30); // the manager's grace period, and the events
    CHECK(all[1].at("spec").at("replicas") == 2);
    const auto& c = pod.at("containers").at(0);
    CHECK(c.at("securityContext").at("readOnlyRootFilesystem") == true);
    CHECK(c.at("securityContext").at("allowPrivilegeEscalation") == false);
    CHECK(c.at("securityContext").at("capabilities").at("drop") == json::array{"ALL"});
    CHECK(c.at("livenessProbe").at("httpGet").at("path") == "/livez");
    CHECK(c.at("readinessProbe").at("httpGet").at("path") == "/readyz");
}
