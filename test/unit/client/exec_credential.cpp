// The texts that credential plugins read and write.
#include "auth/exec_login_core.hpp"

#include <kubecoro/test/catch.hpp>

#include <boost/json.hpp>

#include <chrono>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

const std::string v1 = "client.authentication.k8s.io/v1";

std::string credential(const std::string& status)
{
    return R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":)" + status + "}";
}

std::string why(const std::string& output)
{
    const auto got = read_exec_credential(output, v1);
    REQUIRE_FALSE(got);
    CHECK(got.error() == cond::misconfigured);
    return got.error().message();
}

} // namespace

TEST_CASE("exec: a token and its end are read", "[client][exec]")
{
    const auto plain = read_exec_credential(credential(R"({"token":"t"})"), v1);
    REQUIRE(plain);
    CHECK(plain->token == "t");
    CHECK_FALSE(plain->expires);
    const auto ends =
        read_exec_credential(credential(R"({"token":"t","expirationTimestamp":"1970-01-01T01:00:05+01:00"})"), v1);
    REQUIRE(ends);
    CHECK(ends->expires == std::chrono::sys_seconds(std::chrono::seconds(5)));
    const auto never =
        read_exec_credential(credential(R"({"token":"t","expirationTimestamp":"9999-12-31T23:59:59Z"})"), v1);
    REQUIRE(never);
    CHECK(never->expires == std::chrono::sys_seconds(std::chrono::seconds(253402300799)));
    // Members that no version has are passed over, as by client-go.
    CHECK(read_exec_credential(credential(R"({"token":"t","expirationTimestamp":null,"new":1})"), v1));
}

TEST_CASE("exec: output may be YAML, as client-go reads it", "[client][exec]")
{
    const auto read =
        read_exec_credential("apiVersion: client.authentication.k8s.io/v1\nkind: ExecCredential\nbase: &b\n  token: t\n"
                             "status:\n  <<: *b\n  expirationTimestamp: 1970-01-01T00:00:05Z\n",
                             v1);
    REQUIRE(read);
    CHECK(read->token == "t");
    CHECK(read->expires == std::chrono::sys_seconds(std::chrono::seconds(5)));
    const std::string head = "apiVersion: client.authentication.k8s.io/v1\nkind: ExecCredential\nstatus: ";
    CHECK(why(head + "{token: 12}") == "its output has a token that is no string");
    CHECK(why(head + "{token: \"s3cret}") == "its output is not an object in JSON or YAML");
}

TEST_CASE("exec: output that is no credential is refused without being shown", "[client][exec]")
{
    const std::string secret = "s3cret";
    for (const auto& [output, part] : std::vector<std::pair<std::string, std::string>>{
             {secret, "is not an object in JSON or YAML"},
             {"", "is not an object in JSON or YAML"},
             {"[]", "is not an object in JSON or YAML"},
             {"{}", "kind ExecCredential"},
             {R"({"kind":"s3cret","apiVersion":"client.authentication.k8s.io/v1"})", "kind ExecCredential"},
             {R"({"kind":"ExecCredential","apiVersion":"s3cret/v1"})", "another apiVersion than " + v1},
             {R"({"kind":"ExecCredential"})", "another apiVersion"},
             {R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1"})", "has no status"},
             {credential("{}"), "has neither a token nor a client certificate"},
             {credential(R"({"token":""})"), "has neither a token nor a client certificate"},
             {credential(R"({"token":5})"), "a token that is no string"},
             {credential(R"({"token":"s3cret\nX-Header: 1"})"), "several lines"},
             {credential(R"({"clientCertificateData":"s3cret","clientKeyData":"s3cret"})"),
              "certificate that cannot be used"},
             {credential(R"({"token":"t","clientCertificateData":"s3cret"})"), "or its key, not both"},
             {credential(R"({"token":"t","clientKeyData":"s3cret"})"), "or its key, not both"},
             {credential(R"({"token":"t","clientKeyData":["s3cret"]})"), "certificate or key that is no string"},
             {credential(R"({"token":"t","clientCertificateData":5})"), "certificate or key that is no string"},
             {credential(R"({"token":"s3cret","expirationTimestamp":5})"), "expirationTimestamp that is no string"},
             {credential(R"({"token":"s3cret","expirationTimestamp":"tomorrow"})"), "no RFC 3339 time"}}) {
        INFO(output);
        const auto text = why(output);
        CHECK_THAT(text, Catch::Contains(part));
        CHECK(text.find(secret) == text.npos);
    }
}

TEST_CASE("exec: a plugin gets the information that it asks for", "[client][exec]")
{
    exec_config plugin;
    plugin.command = "login";
    cluster_config cluster;
    cluster.server = "https://h";
    cluster.ca = "ca";
    cluster.server_name = "name";
    cluster.insecure = true;
    const auto info = [&](bool interactive) {
        return boost::json::parse(exec_info(plugin, cluster, interactive)).as_object();
    };
    CHECK(info(true).at("kind").as_string() == "ExecCredential");
    CHECK(info(true).at("apiVersion").as_string() == std::string_view(v1));
    CHECK(info(true).at("spec") == boost::json::parse(R"({"interactive":true})"));
    CHECK(info(false).at("spec") == boost::json::parse(R"({"interactive":false})"));
    plugin.provide_cluster_info = true;
    CHECK(info(false).at("spec").at("cluster") ==
          boost::json::parse(R"({"server":"https://h","tls-server-name":"name","insecure-skip-tls-verify":true,
                                 "certificate-authority-data":"Y2E="})"));
    cluster = {.server = "https://h"};
    cluster.proxy_url = "socks5://p";
    cluster.disable_compression = true;
    plugin.config = R"({"audience":"a","list":[1]})";
    CHECK(info(false).at("spec").at("cluster") ==
          boost::json::parse(R"({"server":"https://h","proxy-url":"socks5://p","disable-compression":true,
                                 "config":{"audience":"a","list":[1]}})"));
    plugin.provide_cluster_info = false;
    CHECK(info(false).at("spec") == boost::json::parse(R"({"interactive":false})"));
}

TEST_CASE("exec: settings are checked", "[client][exec]")
{
    exec_config plugin;
    CHECK_FALSE(check_exec(plugin));
    plugin.command = "login";
    CHECK(check_exec(plugin));
    plugin.api_version = v1 + "beta1";
    CHECK(check_exec(plugin));
    plugin.config = "{";
    CHECK_FALSE(check_exec(plugin));
    plugin.config = "{}";
    CHECK(check_exec(plugin));
    plugin.api_version = v1 + "alpha1";
    CHECK_FALSE(check_exec(plugin));
}
