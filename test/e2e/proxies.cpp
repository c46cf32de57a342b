// End-to-end tests through proxies: requests and watches, and a proxy that ends.

#include "churn.hpp"
#include "followed.hpp"
#include "identity.hpp"

#include "proxy_server.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/test/catch.hpp>

#include <algorithm>
#include <memory>

using namespace kubecoro;
using namespace kubecoro::e2e;
using test::proxy_behaviour;
using test::proxy_server;
using untyped::config_map;

namespace {

cluster_config through(const proxy_server& proxy, const std::string& login)
{
    auto config = cluster::config("KUBECORO_E2E_KUBECONFIG").value();
    config.proxy_url = proxy.url(login);
    return config;
}

/// Every connection went through the proxy, to the server's port. (SOCKS5 asks for a number in binary, which the proxy does
/// not note.)
bool only_to_the_server(const proxy_server& proxy, const client& who)
{
    const auto port = who.server().substr(who.server().rfind(':'));
    const auto asked = proxy.asked();
    return !asked.empty() && std::all_of(asked.begin(), asked.end(), [&](const auto& a) { return a.ends_with(port); });
}

void follows_through(proxy_behaviour behaviour, const std::string& login)
{
    cluster c;
    const auto ns = c.make_namespace("proxy");
    auto proxy = std::make_unique<proxy_server>(std::move(behaviour));
    const auto who = c.connect(through(*proxy, login));
    const auto seed = detail::random_seed();
    INFO("seed " << seed);
    churn changes(who, seed, {config_map::resource()}, {ns});
    followed f(c, who, config_map::resource(), ns, impatient());
    const auto synced = f.sync();
    REQUIRE(synced);
    const auto done = c.run(changes.run(50));
    CHECK(done);
    CHECK(f.converge() == "");
    CHECK(f.witnessed.complaint() == "");
    CHECK(f.stats().failures == 0);
    CHECK(only_to_the_server(*proxy, who));

    proxy.reset();
    REQUIRE(c.eventually([&] { return f.stats().failures > 0; }));
    const auto gone = c.run(who.list(config_map::resource(), ns));
    REQUIRE_FALSE(gone);
    CHECK(gone.error() == cond::unreachable);
    CHECK(gone.error().describe().find("proxy") != std::string::npos);
    CHECK(f.informer.synced());
}

} // namespace

TEST_CASE("proxies: an informer and writes through CONNECT", "[proxies]") { follows_through({}, {}); }

TEST_CASE("proxies: an informer and writes through CONNECT with a login", "[proxies]")
{
    follows_through({.login = "me:p@ss"}, "me:p@ss");
}

TEST_CASE("proxies: an informer and writes through SOCKS5", "[proxies]") { follows_through({.socks = true}, {}); }

TEST_CASE("proxies: an informer and writes through SOCKS5 with a login", "[proxies]")
{
    follows_through({.socks = true, .login = "me:pw"}, "me:pw");
}

TEST_CASE("proxies: a refused login is unauthorized, and says that it is the proxy's", "[proxies]")
{
    cluster c;
    const proxy_server proxy({.login = "me:right"});
    const auto refused = c.run(c.connect(through(proxy, "me:wrong")).list(config_map::resource(), "default"));
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == cond::unauthorized);
    CHECK(refused.error().describe().find("proxy") != std::string::npos);
    CHECK(refused.error().describe().find("wrong") == std::string::npos);
}
