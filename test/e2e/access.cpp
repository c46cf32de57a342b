// End-to-end tests of authentication and authorization.

#include "churn.hpp"
#include "followed.hpp"
#include "identity.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/test/catch.hpp>

using namespace kubecoro;
using namespace kubecoro::e2e;
using untyped::config_map;
using untyped::pod;

namespace {

const resource_type roles{"rbac.authorization.k8s.io", "v1", "roles", "Role", true};
const resource_type role_bindings{"rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding", true};

std::optional<cluster_config> config_or_skip(const char* variable)
{
    auto found = cluster::config(variable);
    if (!found) WARN("skipped: " << variable << " is unset");
    return found;
}

/// Checks that an informer of the client follows changes made by the administrator.
void follows(cluster& c, const client& who)
{
    const auto ns = c.make_namespace("login");
    followed f(c, who, config_map::resource(), ns);
    const auto synced = f.sync();
    REQUIRE(synced);
    c.run(c.api().create(config_map::resource(), ns, manifest(config_map::resource(), "a"))).value();
    CHECK(f.converge() == "");
    CHECK(f.witnessed.complaint() == "");
}

void make_reader_role(cluster& c, const std::string& ns)
{
    c.make(roles, ns, "reader",
           R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"reader"},"rules":[)"
           R"({"apiGroups":[""],"resources":["configmaps"],"verbs":["list","watch"]}]})");
}

void let_read(cluster& c, const std::string& ns, const std::string& user)
{
    c.make(role_bindings, ns, "reader",
           R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","metadata":{"name":"reader"},)"
           R"("roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"reader"},)"
           R"("subjects":[{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":")" +
               user + R"("}]})");
}

} // namespace

TEST_CASE("login: token", "[access]")
{
    cluster c;
    if (!setting("KUBECORO_E2E_CLUSTER").empty()) CHECK(identity(c, c.api()) == "admin");
    follows(c, c.api());
}

TEST_CASE("login: client certificate from files", "[access]")
{
    const auto config = config_or_skip("KUBECORO_E2E_CERT_KUBECONFIG");
    if (!config) return;
    cluster c;
    REQUIRE_FALSE(config->client_certificate_file.empty());
    CHECK(config->login.token.empty());
    const auto who = c.connect(*config);
    CHECK(identity(c, who) == "admin-by-certificate");
    follows(c, who);
}

TEST_CASE("login: a wrong token fails with cond::unauthorized", "[access]")
{
    cluster c;
    auto config = without_login();
    config.login.token = "not-a-token-of-this-cluster";
    const auto who = c.connect(config);
    informers all(c, who);
    auto pods = all->get<pod>();
    all->start();
    const auto synced = c.run(pods.has_synced());
    REQUIRE_FALSE(synced);
    CHECK(synced.error() == cond::unauthorized);
    CHECK(synced.error().describe().find(config.login.token) == std::string::npos);
}

TEST_CASE("login: a server certificate of an unknown authority is rejected", "[access]")
{
    cluster c;
    auto config = cluster::config("KUBECORO_E2E_KUBECONFIG").value();
    if (config.ca.empty() && config.ca_file.empty()) return;
    config.ca.clear();
    config.ca_file.clear();
    config.insecure = false;
    const auto who = c.connect(config);
    const auto listed = c.run(who.list(pod::resource(), "default"));
    REQUIRE_FALSE(listed);
    CHECK(listed.error() == cond::unreachable);
    CHECK(listed.error().describe().find("certificate") != std::string::npos);
}

TEST_CASE("forbidden: has_synced fails at once, and succeeds after the permission is granted", "[access]")
{
    const auto config = config_or_skip("KUBECORO_E2E_LIMITED_KUBECONFIG");
    if (!config) return;
    cluster c;
    const auto ns = c.make_namespace("forbidden");
    const auto who = c.connect(*config);
    const auto user = identity(c, who);
    c.run(c.api().create(config_map::resource(), ns, manifest(config_map::resource(), "a"))).value();

    followed f(c, who, config_map::resource(), ns, impatient());
    const auto denied = f.sync();
    REQUIRE_FALSE(denied);
    CHECK(denied.error() == cond::forbidden);
    REQUIRE(denied.error().status());
    CHECK(denied.error().status()->code == 403);
    CHECK(denied.error().status()->message.find(user) != std::string::npos);
    CHECK(denied.error().target().find("/api/v1/namespaces/" + ns + "/configmaps") == 0);
    const auto unheard = c.run(f.registered.has_synced());
    REQUIRE_FALSE(unheard);
    CHECK(unheard.error() == cond::forbidden);
    CHECK_FALSE(f.informer.synced());

    make_reader_role(c, ns);
    let_read(c, ns, user);
    CHECK(c.eventually([&] { return f.informer.synced() && f.gap_now().empty(); }));
    const auto allowed = c.run(f.registered.has_synced());
    CHECK(allowed);
    CHECK(f.witnessed.complaint() == "");
}

TEST_CASE("forbidden while running: stored objects stay, and are updated when the permission is granted again",
          "[access]")
{
    const auto config = config_or_skip("KUBECORO_E2E_LIMITED_KUBECONFIG");
    if (!config) return;
    cluster c;
    const auto ns = c.make_namespace("withdrawn");
    const auto who = c.connect(*config);
    const auto user = identity(c, who);
    const auto maps = c.api().resource(config_map::resource(), ns);
    const auto make = [&](const std::string& name) { c.run(maps.create(manifest(maps.type(), name))).value(); };
    make("before");
    make_reader_role(c, ns);
    let_read(c, ns, user);
    REQUIRE(c.eventually([&] { return c.run(who.list(maps.type(), ns)).has_value(); }));

    // A server checks authorization when a watch begins, so watches must be short for a withdrawal to take effect.
    auto options = impatient();
    options.policy.watch_timeout_min = options.policy.watch_timeout_max = std::chrono::seconds{2};
    followed f(c, who, maps.type(), ns, options);
    const auto synced = f.sync();
    REQUIRE(synced);
    c.run(c.api().remove(role_bindings, ns, "reader")).value();
    REQUIRE(c.eventually([&] {
        const auto last = f.stats().last_failure;
        return last && *last == cond::forbidden;
    }));
    make("meanwhile");
    CHECK(f.informer.lister().get(ns, "before"));
    CHECK(f.informer.synced());
    CHECK(f.witnessed.counts().deleted == 0);

    let_read(c, ns, user);
    CHECK(f.converge() == "");
    CHECK(f.informer.lister().get(ns, "meanwhile"));
    CHECK(f.witnessed.complaint() == "");
    CHECK(f.witnessed.counts().deleted == 0);
}

TEST_CASE("no such resource: has_synced fails at once, and succeeds after the resource is defined", "[access]")
{
    cluster c;
    const auto ns = c.make_namespace("undefined");
    const auto widgets = c.widget_type();
    followed f(c, c.api(), widgets, ns, impatient());
    const auto missing = f.sync();
    REQUIRE_FALSE(missing);
    CHECK(missing.error() == cond::not_found);
    CHECK_FALSE(f.informer.synced());

    c.define(widgets);
    REQUIRE(c.eventually([&] { return f.informer.synced(); }));
    const auto synced = c.run(f.informer.has_synced());
    CHECK(synced);
    c.run(c.api().create(widgets, ns, manifest(widgets, "a"))).value();
    CHECK(c.eventually([&] { return f.gap_now().empty() && f.witnessed.believes().size() == 1; }));
    CHECK(f.witnessed.complaint() == "");
}

TEST_CASE("a resource that is undefined and defined again is followed again", "[access]")
{
    cluster c;
    const auto ns = c.make_namespace("redefined");
    const auto widgets = c.widget_type();
    c.define(widgets);
    const auto serves = [&] { return c.run(c.api().list(widgets, ns)).has_value(); };
    REQUIRE(c.eventually(serves));
    c.run(c.api().create(widgets, ns, manifest(widgets, "a"))).value();
    followed f(c, c.api(), widgets, ns, impatient());
    const auto synced = f.sync();
    REQUIRE(synced);

    c.undefine(widgets);
    CHECK(c.eventually([&] { return f.witnessed.believes().empty() && f.stats().failures > 0; }));
    CHECK(f.informer.lister().size() == 0);
    CHECK(f.informer.synced());

    c.define(widgets);
    REQUIRE(c.eventually(serves));
    c.run(c.api().create(widgets, ns, manifest(widgets, "a"))).value();
    std::string missing;
    c.eventually([&] { return (missing = f.gap_now()).empty() && f.witnessed.believes().size() == 1; });
    CHECK(missing == "");
    CHECK(f.witnessed.believes().size() == 1);
    CHECK(f.witnessed.complaint() == "");
}
