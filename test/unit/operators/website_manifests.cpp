// The manifests of the website operator say what its code declares.
#include "manifest_checks.hpp"
#include "website_reconciler.hpp"
#include "website_webhooks.hpp"

using namespace kubecoro;

namespace {

const manifest_test::folder here{KUBECORO_OPERATORS "/website"};

} // namespace

TEST_CASE("website: its manifests of rights and webhooks are what --print-webhooks prints", "[manifests]")
{
    manager_options o;
    o.leader_election.lease = "website";
    std::string webhooks;
    const auto fill = [&](manager& m) {
        website_operator::add_websites(m);
        website_operator::add_webhooks(m, {.address = ":9443", .ns = "website"});
        webhooks = m.manifests();
    };
    CHECK(here.text_of("manifests/rbac.yaml") == manifest_test::printed_rights("website", std::move(o), fill));
    CHECK(here.text_of("manifests/webhooks.yaml") == webhooks);
}

TEST_CASE("website: its role patches websites and their status, and does not replace them", "[manifests]")
{
    const auto role = here.object_of("manifests/rbac.yaml", "ClusterRole");
    for (const auto& rule : role.at("rules").as_array()) {
        if (manifest_test::text(rule.at("apiGroups").at(0)) != "web.kubecoro.dev") continue;
        const auto of = manifest_test::text(rule.at("resources").at(0));
        INFO(of);
        const auto& verbs = rule.at("verbs").as_array();
        if (of == "websites") CHECK(verbs == boost::json::array{"get", "list", "watch", "patch"});
        if (of == "websites/status") CHECK(verbs == boost::json::array{"patch"});
    }
}

TEST_CASE("website: its definition is what --print-crd prints", "[manifests]")
{
    CHECK(here.text_of("manifests/crd.yaml") == website_operator::definition().value());
}

TEST_CASE("website: the manifest runs it unprivileged, with probes, election and time to stop", "[manifests]")
{
    manifest_test::check_deployment(here, "website", 2);
}
