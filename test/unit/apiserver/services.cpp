// Tests of services: cluster IPs, node ports, defaults and rules, with the words of a kube-apiserver.
#include "support.hpp"

#include "schema/service_spec.hpp"
#include "state/service_allocator.hpp"

#include <kubecoro/apiserver/detail/cluster_state_core.hpp>
#include <kubecoro/client/manifests.hpp>
#include <kubecoro/test/allocations.hpp>

#include <set>

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string services = "/api/v1/namespaces/default/services";

std::string service(const std::string& name, const std::string& spec)
{
    return R"({"metadata":{"name":")" + name + R"("},"spec":)" + spec + "}";
}

/// Creates a service. @return its specification.
json::value made(server& s, const std::string& name, const std::string& spec)
{
    INFO(spec);
    return s.expect(201, "POST", services, service(name, spec)).at("spec");
}

/// The message of a refusal, without the name of the service.
std::string why(const apiserver::http_response& r)
{
    const auto message = std::string(json::parse(r.body).at("message").as_string());
    const auto at = message.find("is invalid: ");
    return at == std::string::npos ? message : message.substr(at + 12);
}

std::string refused(server& s, const std::string& spec)
{
    const auto r = s.ask("POST", services, service("refused", spec));
    INFO(r.body);
    CHECK(r.status == 422);
    return why(r);
}

json::value merged(server& s, const std::string& name, const std::string& spec)
{
    INFO(spec);
    return s.patch(services + "/" + name, R"({"spec":)" + spec + "}").at("spec");
}

std::string merge_refused(server& s, const std::string& name, const std::string& spec)
{
    const auto r =
        s.ask("PATCH", services + "/" + name, R"({"spec":)" + spec + "}", {{"Content-Type", std::string(merge_type)}});
    CHECK(r.status == 422);
    return why(r);
}

std::string ip(const json::value& spec) { return std::string(spec.at("clusterIP").as_string()); }

std::int64_t node_port(const json::value& spec, std::size_t index = 0)
{
    return spec.at("ports").at(index).at("nodePort").as_int64();
}

const std::string web = R"("ports":[{"port":80}])";

} // namespace

TEST_CASE("services: each type has the defaults of a kube-apiserver", "[apiserver][services]")
{
    server s;
    auto plain = made(s, "a", "{" + web + "}");
    CHECK(ip(plain).starts_with("10."));
    CHECK(plain.at("clusterIPs") == json::array{plain.at("clusterIP")});
    plain.as_object().erase("clusterIP");
    plain.as_object().erase("clusterIPs");
    CHECK(plain == json::parse(R"({"ports":[{"protocol":"TCP","port":80,"targetPort":80}],"type":"ClusterIP",)"
                               R"("sessionAffinity":"None","ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack",)"
                               R"("internalTrafficPolicy":"Cluster"})"));

    const auto node = made(s, "b", R"({"type":"NodePort",)" + web + "}");
    CHECK(node.at("externalTrafficPolicy") == "Cluster");
    CHECK(node_port(node) >= 30'000);
    CHECK(node_port(node) <= 32'767);
    const auto balanced = made(s, "c", R"({"type":"LoadBalancer","externalTrafficPolicy":"Local",)" + web + "}");
    CHECK(balanced.at("allocateLoadBalancerNodePorts") == json::value(true));
    CHECK(balanced.at("healthCheckNodePort").as_int64() != node_port(balanced));
    const auto unported = made(s, "d", R"({"type":"LoadBalancer","allocateLoadBalancerNodePorts":false,)" + web + "}");
    CHECK_FALSE(unported.at("ports").at(0).as_object().contains("nodePort"));

    CHECK(made(s, "e", R"({"type":"ExternalName","externalName":"x.com"})") ==
          json::parse(R"({"type":"ExternalName","sessionAffinity":"None","externalName":"x.com"})"));
    const auto headless = made(s, "f", R"({"clusterIP":"None","selector":{"a":"b"},)" + web + "}");
    CHECK(ip(headless) == "None");
    CHECK(headless.at("clusterIPs") == json::array{"None"});
    CHECK(headless.at("ipFamilyPolicy") == "SingleStack");
    const auto open = made(s, "g", R"({"clusterIP":"None"})");
    CHECK(open.at("ipFamilyPolicy") == "RequireDualStack");
    CHECK(open.at("ipFamilies") == json::array{"IPv4", "IPv6"});
    CHECK(made(s, "h", R"({"sessionAffinity":"ClientIP",)" + web + "}")
              .at_pointer("/sessionAffinityConfig/clientIP/timeoutSeconds") == 10800);
}

TEST_CASE("services: addresses and ports are refused if they are taken, out of range or wrong", "[apiserver][services]")
{
    server s;
    const auto first = ip(made(s, "a", R"({"clusterIP":"10.96.0.10",)" + web + "}"));
    CHECK(first == "10.96.0.10");
    const auto given = [&](const std::string& address) {
        return refused(s, R"({"clusterIP":")" + address + "\"," + web + "}");
    };
    const std::string failed = R"(spec.clusterIPs: Invalid value: ["ADDRESS"]: failed to allocate IP ADDRESS: )";
    const auto message = [&](const std::string& address, const std::string& reason) {
        std::string out = failed + reason;
        for (auto at = out.find("ADDRESS"); at != std::string::npos; at = out.find("ADDRESS"))
            out.replace(at, 7, address);
        return out;
    };
    CHECK(given("10.96.0.10") == message("10.96.0.10", "provided IP is already allocated"));
    for (const std::string outside : {"10.96.0.0", "10.111.255.255", "192.168.0.1"})
        CHECK(given(outside) == message(outside, "the provided network does not match the current range"));
    CHECK(given("abc") ==
          R"(spec.clusterIPs[0]: Invalid value: "abc": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff))");
    CHECK(given("fd00::1") ==
          R"(spec.clusterIPs[0]: Invalid value: ["fd00::1"]: IPv6 is not configured on this cluster)");
    CHECK(refused(s, R"({"clusterIPs":["10.96.0.11"],)" + web + "}") ==
          R"(spec.clusterIPs: Invalid value: ["10.96.0.11"]: must be empty when `clusterIP` is not specified)");
    CHECK(refused(s, R"({"clusterIP":"10.96.0.11","clusterIPs":["10.96.0.12"],)" + web + "}") ==
          R"(spec.clusterIPs: Invalid value: ["10.96.0.12"]: first value must match `clusterIP`)");
    CHECK(refused(s, R"({"type":"NodePort","clusterIP":"None",)" + web + "}") ==
          R"(spec.clusterIPs[0]: Invalid value: "None": may not be set to 'None' for NodePort services)");
    CHECK(refused(s, R"({"type":"ExternalName","externalName":"a.b","clusterIP":"10.96.0.11"})") ==
          "spec.clusterIPs: Forbidden: may not be set for ExternalName services");

    made(s, "n", R"({"type":"NodePort","ports":[{"port":80,"nodePort":30500}]})");
    const auto port = [&](const std::string& number) {
        return refused(s, R"({"type":"NodePort","ports":[{"port":80,"nodePort":)" + number + "}]}");
    };
    CHECK(port("30500") == "spec.ports[0].nodePort: Invalid value: 30500: provided port is already allocated");
    for (const std::string outside : {"99", "-1", "32768"})
        CHECK(port(outside) ==
              "spec.ports[0].nodePort: Invalid value: " + outside +
                  ": provided port is not in the valid range. The range of valid ports is 30000-32767");
    CHECK(refused(s, R"({"ports":[{"port":80,"nodePort":30501}]})") ==
          "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'");
    CHECK(refused(s, R"({"type":"NodePort","ports":[{"name":"a","port":80,"nodePort":30502},{"name":"b","port":80,)"
                     R"("protocol":"UDP","nodePort":30502},{"name":"c","port":81,"nodePort":30502}]})") ==
          "spec.ports[2].nodePort: Invalid value: 30502: provided port is already allocated");
}

TEST_CASE("services: what is wrong in a specification is named", "[apiserver][services]")
{
    server s;
    CHECK(refused(s, "{}") == "spec.ports: Required value");
    CHECK(refused(s, R"({"type":"ExternalName"})") == "spec.externalName: Required value");
    CHECK(refused(s, R"({"ports":[{"port":80},{"port":81}],"type":"Bogus"})") ==
          R"([spec.ports[0].name: Required value, spec.ports[1].name: Required value, spec.type: Unsupported value: )"
          R"("Bogus": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"])");
    CHECK(refused(s, R"({"ports":[{"name":"a","port":80},{"name":"a","port":81}]})") ==
          R"(spec.ports[1].name: Duplicate value: "a")");
    CHECK(refused(s, R"({"ports":[{"name":"a","port":80},{"name":"b","port":80}]})") ==
          R"(spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,)"
          R"("NodePort":0})");
    CHECK(refused(s, R"({"ports":[{"port":0}]})") ==
          "[spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive, spec.ports[0].targetPort: "
          "Invalid value: 0: must be between 1 and 65535, inclusive]");
    CHECK(
        refused(s, R"({"ipFamilyPolicy":"RequireDualStack",)" + web + "}") ==
        R"(spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services)");
    CHECK(refused(s, R"({"ipFamilies":["IPv6"],)" + web + "}") ==
          R"(spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster)");
    CHECK(
        refused(s, R"({"sessionAffinity":"x","externalTrafficPolicy":"y","internalTrafficPolicy":"z",)" + web + "}") ==
        R"([spec.sessionAffinity: Unsupported value: "x": supported values: "ClientIP", "None", )"
        R"(spec.externalTrafficPolicy: Invalid value: "y": may only be set for externally-accessible services, )"
        R"(spec.internalTrafficPolicy: Unsupported value: "z": supported values: "Cluster", "Local"])");
    CHECK(made(s, "prefers", R"({"ipFamilyPolicy":"PreferDualStack",)" + web + "}").at("ipFamilyPolicy") ==
          "PreferDualStack");
}

TEST_CASE("services: a cluster IP does not change, and an update that does not state it keeps it",
          "[apiserver][services]")
{
    server s;
    const auto address = ip(made(s, "a", "{" + web + "}"));
    CHECK(merge_refused(s, "a", R"({"clusterIP":"10.96.0.99"})") ==
          R"(spec.clusterIPs[0]: Invalid value: ["10.96.0.99"]: may not change once set)");
    CHECK(merge_refused(s, "a", R"({"clusterIP":"None"})") ==
          R"(spec.clusterIPs[0]: Invalid value: ["None"]: may not change once set)");
    CHECK(ip(merged(s, "a", R"({"clusterIP":null})")) == address);
    CHECK(ip(merged(s, "a", R"({"clusterIP":null,"clusterIPs":null})")) == address);
    const auto replaced = s.expect(200, "PUT", services + "/a", service("a", R"({"ports":[{"port":81}]})")).at("spec");
    CHECK(ip(replaced) == address);
    CHECK(replaced.at("clusterIPs") == json::array{json::value(address)});
    made(s, "headless", R"({"clusterIP":"None",)" + web + "}");
    CHECK(ip(merged(s, "headless", R"({"clusterIP":""})")) == "None");
}

TEST_CASE("services: a change of the type allocates and frees", "[apiserver][services]")
{
    server s;
    const auto address = ip(made(s, "a", R"({"clusterIP":"10.96.0.20",)" + web + "}"));
    const auto node = merged(s, "a", R"({"type":"NodePort"})");
    CHECK(ip(node) == address);
    CHECK(node_port(node) >= 30'000);
    const auto two = merged(s, "a", R"({"ports":[{"port":82,"name":"b"},{"port":80,"name":"c"}]})");
    CHECK(node_port(two, 0) != node_port(two, 1));
    const auto kept = merged(s, "a", R"({"ports":[{"port":83,"name":"c"}]})");
    CHECK(node_port(kept) == node_port(two, 1));
    const auto port = node_port(kept);
    const auto balanced = merged(s, "a", R"({"type":"LoadBalancer"})");
    CHECK(node_port(balanced) == port);

    const auto plain = merged(s, "a", R"({"type":"ClusterIP"})");
    CHECK_FALSE(plain.at("ports").at(0).as_object().contains("nodePort"));
    CHECK_FALSE(plain.as_object().contains("externalTrafficPolicy"));
    CHECK_FALSE(plain.as_object().contains("allocateLoadBalancerNodePorts"));
    made(s, "next", R"({"type":"NodePort","ports":[{"port":80,"nodePort":)" + std::to_string(port) + "}]}");

    const auto external = merged(s, "a", R"({"type":"ExternalName","externalName":"z.y"})");
    for (const char* member : {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"})
        CHECK_FALSE(external.as_object().contains(member));
    CHECK(ip(made(s, "takes", R"({"clusterIP":"10.96.0.20",)" + web + "}")) == address);
    CHECK(ip(merged(s, "a", R"({"type":"ClusterIP"})")) != address);
}

TEST_CASE("services: a deletion frees, a dry run and a refused write take nothing", "[apiserver][services]")
{
    server s;
    const std::string spec = R"({"type":"NodePort","clusterIP":"10.96.0.30","ports":[{"port":80,"nodePort":30100}]})";
    s.expect(201, "POST", services + "?dryRun=All", service("a", spec));
    s.expect(422, "POST", services, service("Not a name", spec));
    made(s, "a", spec);
    s.expect(200, "DELETE", services + "/a");
    made(s, "b", spec);
    s.add_namespace("gone");
    s.expect(201, "POST", "/api/v1/namespaces/gone/services",
             service("c", R"({"clusterIP":"10.96.0.31",)" + web + "}"));
    s.expect(200, "DELETE", "/api/v1/namespaces/gone");
    made(s, "d", R"({"clusterIP":"10.96.0.31",)" + web + "}");
}

TEST_CASE("services: an address is given once, whichever allocation fails", "[apiserver][services]")
{
    const std::string spec = R"({"type":"NodePort","clusterIP":"10.96.0.50","ports":[{"port":80,"nodePort":30300}]})";
    bool ran_out = true;
    for (std::uint64_t nth = 1; ran_out; ++nth) {
        REQUIRE(nth < 10'000);
        INFO(nth);
        server s;
        made(s, "other", "{" + web + "}");
        const apiserver::object_address at{s.state.find("services"), "v1", "default", "a"};
        auto body = json::parse(service("a", spec));
        ran_out = false;
        fail_allocation(nth);
        try {
            (void)s.state.create(at, std::move(body), {}, s.now);
        } catch (const std::bad_alloc&) {
            ran_out = true;
        }
        fail_allocation(0);
        const bool stored = s.get(services + "/a").status == 200;
        CHECK(s.ask("POST", services, service("b", spec)).status == (stored ? 422 : 201));
        s.expect(200, "DELETE", services + (stored ? "/a" : "/b"));
        made(s, "c", spec);
    }
}

TEST_CASE("services: ports of two protocols share a node port", "[apiserver][services]")
{
    server s;
    const auto dns = made(s, "dns",
                          R"({"type":"NodePort","ports":[{"name":"a","port":53},{"name":"b","port":53,)"
                          R"("protocol":"UDP"},{"name":"c","port":54}]})");
    CHECK(node_port(dns, 0) == node_port(dns, 1));
    CHECK(node_port(dns, 0) != node_port(dns, 2));
}

TEST_CASE("services: what the server allocates has no owner", "[apiserver][services]")
{
    server s;
    const auto object = s.expect(201, "POST", services + "?fieldManager=me",
                                 service("a", R"({"type":"NodePort","ports":[{"port":80}]})"));
    const auto fields = json::serialize(object.at_pointer("/metadata/managedFields/0/fieldsV1"));
    CHECK(fields == R"({"f:spec":{"f:externalTrafficPolicy":{},"f:internalTrafficPolicy":{},"f:ports":{".":{},)"
                    R"("k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{},"f:protocol":{},"f:targetPort":{}}},)"
                    R"("f:sessionAffinity":{},"f:type":{}}})");
    const server::headers apply{{"Content-Type", "application/apply-patch+yaml"}};
    const std::string config =
        R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"b"},"spec":{"type":"NodePort",)" + web + "}}";
    const auto applied = s.expect(201, "PATCH", services + "/b?fieldManager=me", config, apply);
    const auto again = s.expect(200, "PATCH", services + "/b?fieldManager=me", config, apply);
    CHECK(applied == again);
}

TEST_CASE("services: a full range is an error, and the numbers are the same in each run", "[apiserver][services]")
{
    const auto run = [] {
        server s;
        std::vector<std::int64_t> all;
        for (int i = 0; i < 27; ++i) {
            std::string ports;
            for (int p = 1; p <= 100; ++p)
                ports += std::string(p == 1 ? "" : ",") + R"({"name":"p)" + std::to_string(p) + R"(","port":)" +
                         std::to_string(p) + "}";
            const auto spec = made(s, "s" + std::to_string(i), R"({"type":"NodePort","ports":[)" + ports + "]}");
            for (std::size_t p = 0; p < 100; ++p) all.push_back(node_port(spec, p));
        }
        std::string rest;
        for (int p = 1; p <= 69; ++p)
            rest += std::string(p == 1 ? "" : ",") + R"({"name":"p)" + std::to_string(p) + R"(","port":)" +
                    std::to_string(p) + "}";
        const auto full = s.ask("POST", services, service("full", R"({"type":"NodePort","ports":[)" + rest + "]}"));
        CHECK(full.status == 500);
        const auto status = json::parse(full.body);
        CHECK(status.at("message") == "Internal error occurred: failed to allocate a nodePort: range is full");
        CHECK(status.at("reason") == "InternalError");
        CHECK(json::serialize(status.at("details")) ==
              R"({"causes":[{"message":"failed to allocate a nodePort: range is full"}]})");
        s.expect(200, "DELETE", services + "/s0");
        s.expect(201, "POST", services, service("full", R"({"type":"NodePort","ports":[)" + rest + "]}"));
        return all;
    };
    const auto first = run();
    CHECK(std::set<std::int64_t>(first.begin(), first.end()).size() == first.size());
    CHECK(run() == first);
}

TEST_CASE("services: a range gives the numbers that are kept last, and each once", "[apiserver][services]")
{
    detail::random_source random(1);
    apiserver::number_range range(10, 29, 5);
    std::set<std::uint32_t> given;
    for (int i = 0; i < 15; ++i) {
        const auto number = range.pick(random);
        REQUIRE(number);
        CHECK(*number >= 15);
        CHECK(*number <= 29);
        CHECK(given.insert(*number).second);
        range.use(*number);
    }
    for (int i = 0; i < 5; ++i) {
        const auto number = range.pick(random);
        REQUIRE(number);
        CHECK(*number < 15);
        range.use(*number);
    }
    CHECK_FALSE(range.pick(random));
    range.free(17);
    CHECK(range.pick(random) == 17u);
}

TEST_CASE("services: addresses and ports survive a restart, and manifests of other clusters keep theirs",
          "[apiserver][services]")
{
    server s;
    const auto loaded = load_manifests(R"(
apiVersion: v1
kind: Service
metadata: {name: foreign}
spec: {clusterIP: 172.20.3.4, ports: [{port: 80}]}
---
apiVersion: v1
kind: Service
metadata: {name: own}
spec: {type: NodePort, clusterIP: 10.96.0.40, ports: [{port: 80, nodePort: 30200}]}
)",
                                       "services.yaml");
    REQUIRE(loaded);
    REQUIRE(apiserver::apply_manifests(s.state, *loaded, s.now));
    CHECK(ip(merged(s, "foreign", R"({"selector":{"a":"b"}})")) == "172.20.3.4");

    server restarted;
    REQUIRE(restarted.state.restore(s.state.dump(), s.now));
    CHECK(refused(restarted, R"({"clusterIP":"10.96.0.40",)" + web + "}").ends_with("already allocated"));
    CHECK(refused(restarted, R"({"type":"NodePort","ports":[{"port":80,"nodePort":30200}]})")
              .ends_with("already allocated"));
    restarted.expect(200, "DELETE", services + "/own");
    made(restarted, "next", R"({"clusterIP":"10.96.0.40",)" + web + "}");
}

TEST_CASE("services: an address is four numbers without leading zeros", "[apiserver][services]")
{
    namespace address = apiserver::service_address;
    CHECK(address::parse("10.96.0.1") == 0x0a60'0001u);
    CHECK(address::format(0x0a6f'fffe) == "10.111.255.254");
    for (const char* bad : {"", "1", "1.2.3", "1.2.3.", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1..3.4", "a.b.c.d",
                            "1.2.3.4 ", "1.2.3.-4", "1111.2.3.4"})
        CHECK_FALSE(address::parse(bad));
}
