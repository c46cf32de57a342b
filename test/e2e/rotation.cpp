// End-to-end tests of a cluster whose authority and certificates are replaced while informers watch.

#include "churn.hpp"
#include "followed.hpp"
#include "identity.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/test/catch.hpp>

using namespace kubecoro;
using namespace kubecoro::e2e;
using untyped::config_map;

TEST_CASE("rotation: another authority, serving certificate and client certificate, while watches run", "[disturbance]")
{
    if (!cluster::disturbable()) return;
    // This configuration names the files of the certificates; the other one has the authority's text in it.
    cluster c("KUBECORO_E2E_CERT_KUBECONFIG");
    const auto before = cluster::config("KUBECORO_E2E_KUBECONFIG").value();
    const auto ns = c.make_namespace("rotation");
    followed f(c, c.api(), config_map::resource(), ns, impatient());
    const auto synced = f.sync();
    REQUIRE(synced);
    const auto seed = detail::random_seed();
    INFO("seed " << seed);
    churn changes(c.api(), seed, {config_map::resource()}, {ns});
    const auto calm = c.run(changes.run(50));
    REQUIRE(calm);

    c.disturb("rotate-certificates");
    // The server reads its files within a minute. New connections of a client that knows only the old authority fail.
    const auto refused = [&] {
        const auto got = c.run(c.connect(before).list(config_map::resource(), ns));
        return !got && got.error() == cond::unreachable &&
               got.error().describe().find("certificate") != std::string::npos;
    };
    REQUIRE(c.eventually(refused));
    const auto after = cluster::config("KUBECORO_E2E_KUBECONFIG").value();
    CHECK(after.ca != before.ca);
    CHECK(identity(c, c.connect(after)) == "admin");

    // The server checks the client's certificate with each request: also those of connections from before.
    const auto served = [&] { return identity(c, c.api()) == "admin-by-certificate"; };
    REQUIRE(c.eventually(served));
    const auto changed = c.run(changes.run(100));
    CHECK(changed);
    CHECK(f.converge() == "");
    CHECK(f.witnessed.complaint() == "");
    CHECK(f.informer.synced());
}
