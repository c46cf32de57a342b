// Conformance cases: cluster IPs and node ports of services.
#include "cluster_under_test.hpp"

#include <kubecoro/test/catch.hpp>

#include <boost/json.hpp>

#include <set>
#include <string>

using namespace kubecoro;
using namespace kubecoro::conformance;

namespace json = boost::json;

namespace {

struct reply
{
    int code = 0;
    json::value body;
};

std::string services(const cluster_under_test& c, const std::string& rest = {})
{
    return "/api/v1/namespaces/" + c.ns() + "/services" + rest;
}

reply send(cluster_under_test& c, std::string method, std::string target, std::string body,
           std::string content_type = "application/json")
{
    request r{.method = std::move(method), .target = std::move(target)};
    if (!body.empty()) r.content_type = std::move(content_type);
    r.body = std::move(body);
    const auto got = c.run(c.api().raw(std::move(r)));
    REQUIRE(got);
    INFO(got->body);
    return {got->head.status, json::parse(got->body)};
}

std::string service(const std::string& name, const std::string& spec)
{
    return R"({"apiVersion":"v1","kind":"Service","metadata":{"name":")" + name + R"("},"spec":)" + spec + "}";
}

json::value create(cluster_under_test& c, const std::string& name, const std::string& spec)
{
    const auto made = send(c, "POST", services(c), service(name, spec));
    CHECK(made.code == 201);
    return made.body.at("spec");
}

reply merge(cluster_under_test& c, const std::string& name, const std::string& spec)
{
    return send(c, "PATCH", services(c, "/" + name), R"({"spec":)" + spec + "}", "application/merge-patch+json");
}

/// The first cause of a refusal: its field and message.
std::string cause(const reply& r)
{
    CHECK(r.code == 422);
    const auto& first = r.body.at("details").at("causes").at(0);
    return std::string(first.at("field").as_string()) + ": " + std::string(first.at("message").as_string());
}

std::string ip(const json::value& spec) { return std::string(spec.at("clusterIP").as_string()); }

std::int64_t node_port(const json::value& spec) { return spec.at("ports").at(0).at("nodePort").as_int64(); }

} // namespace

TEST_CASE("services: what kubectl expose and create service make has an address, ports and defaults",
          "[conformance][services]")
{
    cluster_under_test c;
    const auto plain =
        create(c, "a", R"({"ports":[{"name":"80-8080","port":80,"targetPort":8080}],"selector":{"a":"b"}})");
    CHECK(ip(plain).starts_with("10."));
    CHECK(plain.at("clusterIPs") == json::value(json::array{json::value(ip(plain))}));
    CHECK(plain.at("ipFamilies") == json::value(json::array{"IPv4"}));
    CHECK(plain.at("ipFamilyPolicy") == "SingleStack");
    CHECK(plain.at("internalTrafficPolicy") == "Cluster");
    CHECK(plain.at("sessionAffinity") == "None");

    const auto node = create(c, "b", R"({"type":"NodePort","ports":[{"port":80}]})");
    CHECK(ip(node) != ip(plain));
    CHECK(node_port(node) >= 30'000);
    CHECK(node_port(node) <= 32'767);
    CHECK(node.at("externalTrafficPolicy") == "Cluster");
    const auto balanced = create(c, "c", R"({"type":"LoadBalancer","ports":[{"port":80}]})");
    CHECK(node_port(balanced) != node_port(node));
    CHECK(balanced.at("allocateLoadBalancerNodePorts") == json::value(true));

    const auto external = create(c, "d", R"({"type":"ExternalName","externalName":"x.com"})");
    for (const char* absent : {"clusterIP", "clusterIPs", "ipFamilies", "internalTrafficPolicy"})
        CHECK_FALSE(external.as_object().contains(absent));
    const auto headless = create(c, "e", R"({"clusterIP":"None","selector":{"a":"b"},"ports":[{"port":80}]})");
    CHECK(ip(headless) == "None");
    CHECK(headless.at("ipFamilyPolicy") == "SingleStack");
    CHECK(create(c, "f", R"({"clusterIP":"None"})").at("ipFamilyPolicy") == "RequireDualStack");
}

TEST_CASE("services: an address or port that is taken or out of range is refused", "[conformance][services]")
{
    cluster_under_test c;
    const auto node = create(c, "a", R"({"type":"NodePort","ports":[{"port":80}]})");
    const auto refused = [&](const std::string& spec) {
        return cause(send(c, "POST", services(c), service("refused", spec)));
    };
    const auto at = [&](const std::string& address) {
        return refused(R"({"clusterIP":")" + address + R"(","ports":[{"port":80}]})");
    };
    const auto failed = [](const std::string& address, const std::string& why) {
        return "spec.clusterIPs: Invalid value: [\"" + address + "\"]: failed to allocate IP " + address + ": " + why;
    };
    CHECK(at(ip(node)) == failed(ip(node), "provided IP is already allocated"));
    CHECK(at("192.168.0.1") == failed("192.168.0.1", "the provided network does not match the current range"));
    CHECK(at("abc").starts_with("spec.clusterIPs[0]: Invalid value: \"abc\": must be a valid IP address"));
    const auto number = std::to_string(node_port(node));
    CHECK(refused(R"({"type":"NodePort","ports":[{"port":80,"nodePort":)" + number + "}]}") ==
          "spec.ports[0].nodePort: Invalid value: " + number + ": provided port is already allocated");
    CHECK(refused(R"({"type":"NodePort","ports":[{"port":80,"nodePort":99}]})") ==
          "spec.ports[0].nodePort: Invalid value: 99: provided port is not in the valid range. The range of valid "
          "ports is 30000-32767");
    CHECK(refused(R"({"ports":[{"port":80,"nodePort":30001}]})") ==
          "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'");
    CHECK(refused("{}") == "spec.ports: Required value");
    CHECK(refused(R"({"type":"NodePort","clusterIP":"None","ports":[{"port":80}]})") ==
          "spec.clusterIPs[0]: Invalid value: \"None\": may not be set to 'None' for NodePort services");
    CHECK(refused(R"({"type":"ExternalName","externalName":"a.b","clusterIP":"10.0.0.9"})") ==
          "spec.clusterIPs: Forbidden: may not be set for ExternalName services");
    CHECK(refused(R"({"ipFamilies":["IPv6"],"ports":[{"port":80}]})") ==
          "spec.ipFamilies[0]: Invalid value: \"IPv6\": not configured on this cluster");
}

TEST_CASE("services: addresses do not change, and a change of the type allocates and frees", "[conformance][services]")
{
    cluster_under_test c;
    const auto address = ip(create(c, "a", R"({"ports":[{"port":80}]})"));
    CHECK(cause(merge(c, "a", R"({"clusterIP":"None"})")) ==
          "spec.clusterIPs[0]: Invalid value: [\"None\"]: may not change once set");
    const auto kept = send(c, "PUT", services(c, "/a"), service("a", R"({"ports":[{"port":81}]})"));
    CHECK(kept.code == 200);
    CHECK(ip(kept.body.at("spec")) == address);

    const auto node = merge(c, "a", R"({"type":"NodePort"})").body.at("spec");
    CHECK(node_port(merge(c, "a", R"({"ports":[{"port":83}]})").body.at("spec")) == node_port(node));
    const auto plain = merge(c, "a", R"({"type":"ClusterIP"})").body.at("spec");
    CHECK_FALSE(plain.at("ports").at(0).as_object().contains("nodePort"));
    CHECK_FALSE(plain.as_object().contains("externalTrafficPolicy"));
    const auto external = merge(c, "a", R"({"type":"ExternalName","externalName":"z.y"})").body.at("spec");
    CHECK_FALSE(external.as_object().contains("clusterIP"));
    CHECK(ip(create(c, "b", R"({"clusterIP":")" + address + R"(","ports":[{"port":80}]})")) == address);
    CHECK(send(c, "DELETE", services(c, "/b"), "").code == 200);
    CHECK(ip(create(c, "d", R"({"clusterIP":")" + address + R"(","ports":[{"port":80}]})")) == address);
}
