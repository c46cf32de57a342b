#include "address/server_address.hpp"

#include <kubecoro/test/catch.hpp>

using namespace kubecoro;
using namespace kubecoro::detail;

TEST_CASE("compression: automatic spares servers that are close by", "[client][gzip]")
{
    for (const char* host : {"10.0.0.1",
                             "10.255.255.255",
                             "100.64.0.1",
                             "100.127.255.255",
                             "127.0.0.1",
                             "127.8.9.1",
                             "169.254.1.1",
                             "172.16.0.1",
                             "172.31.255.255",
                             "192.168.0.1",
                             "0.0.0.0",
                             "::1",
                             "::",
                             "fc00::1",
                             "fdff::1",
                             "fe80::1",
                             "febf::1",
                             "::ffff:10.0.0.1",
                             "localhost",
                             "kubernetes",
                             "kubernetes.default.svc",
                             "kubernetes.default.svc.cluster.local",
                             "kubernetes.default.svc.cluster.local.",
                             "a.localhost"}) {
        INFO(host);
        CHECK(is_near(host));
        CHECK_FALSE(wants_gzip(compression::automatic, false, host));
        CHECK(wants_gzip(compression::on, false, host));
    }
    for (const char* host : {"9.255.255.255",
                             "11.0.0.0",
                             "100.63.255.255",
                             "100.128.0.0",
                             "126.255.255.255",
                             "128.0.0.0",
                             "169.253.0.1",
                             "169.255.0.1",
                             "172.15.255.255",
                             "172.32.0.0",
                             "192.167.0.1",
                             "192.169.0.1",
                             "203.0.113.7",
                             "0.0.0.1",
                             "2001:db8::1",
                             "fbff::1",
                             "fe00::1",
                             "fec0::1",
                             "::ffff:203.0.113.7",
                             "api.example.com",
                             "svc.example.com",
                             "cluster.local.example.com",
                             "localhost.example.com"}) {
        INFO(host);
        CHECK_FALSE(is_near(host));
        CHECK(wants_gzip(compression::automatic, false, host));
        CHECK_FALSE(wants_gzip(compression::off, false, host));
    }
}

TEST_CASE("compression: the cluster's disable-compression has precedence", "[client][gzip]")
{
    for (const auto policy : {compression::automatic, compression::on, compression::off})
        CHECK_FALSE(wants_gzip(policy, true, "api.example.com"));
}
