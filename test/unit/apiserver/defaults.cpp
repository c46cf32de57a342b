// Tests of the defaults of built-in kinds, against what a kube-apiserver 1.36 has made of the same objects.
#include "schema/defaults.hpp"
#include "state/resource_store.hpp"
#include "support.hpp"

#include <algorithm>
#include <fstream>

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

/// A copy with members in order.
json::value sorted(const json::value& v)
{
    if (const auto* list = v.if_array()) {
        json::array out;
        for (const auto& each : *list) out.push_back(sorted(each));
        return out;
    }
    const auto* members = v.if_object();
    if (!members) return v;
    std::vector<std::string_view> names;
    for (const auto& m : *members) names.push_back(m.key());
    std::sort(names.begin(), names.end());
    json::object out;
    for (const auto name : names) out[name] = sorted(members->at(name));
    return out;
}

const std::string pods = "/api/v1/namespaces/default/pods";

} // namespace

TEST_CASE("defaults: objects have those of a kube-apiserver", "[apiserver][defaults]")
{
    std::ifstream file(KUBECORO_TEST_DATA "/defaults.jsonl");
    std::size_t count = 0;
    for (std::string line; std::getline(file, line); ++count) {
        server s;
        const auto sample = json::parse(line);
        const std::string path(sample.at("path").as_string());
        INFO(path);
        auto made = s.expect(201, "POST", path, json::serialize(sample.at("body"))).as_object();
        const auto labels = made.at("metadata").as_object();
        made["labels"] = labels.contains("labels") ? labels.at("labels") : json::value();
        for (const auto* member : {"kind", "apiVersion", "metadata"}) made.erase(member);
        CHECK(json::serialize(sorted(made)) == json::serialize(sorted(sample.at("stored"))));
        // An update adds nothing.
        const std::string name(sample.at("body").at("metadata").at("name").as_string());
        const auto stored = s.expect(200, "GET", path + "/" + name);
        CHECK(s.expect(200, "PUT", path + "/" + name, json::serialize(stored)) == stored);
    }
    CHECK(count == 35);
}

TEST_CASE("defaults: what is stated stays", "[apiserver][defaults]")
{
    server s;
    const auto spec = [&](const std::string& path, const std::string& body) {
        return s.expect(201, "POST", path, R"({"metadata":{"generateName":"x"},)" + body + "}").at("spec");
    };
    const auto policy = spec("/apis/networking.k8s.io/v1/namespaces/default/networkpolicies",
                             R"("spec":{"podSelector":{},"policyTypes":["Egress"],"egress":[]})");
    CHECK(json::serialize(policy.at("policyTypes")) == R"(["Egress"])");
    const auto volume = spec("/api/v1/persistentvolumes", R"("spec":{"volumeMode":"Block","capacity":{"storage":"1"},)"
                                                          R"("hostPath":{"path":"/a","type":"File"}})");
    CHECK(volume.at("volumeMode") == "Block");
    CHECK(volume.at_pointer("/hostPath/type") == "File");
    const auto scaled = spec("/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
                             R"("spec":{"maxReplicas":3,"scaleTargetRef":{"kind":"D","name":"d"},"behavior":)"
                             R"({"scaleDown":{"selectPolicy":"Disabled"}}})");
    CHECK(scaled.at_pointer("/behavior/scaleDown/selectPolicy") == "Disabled");
    CHECK(scaled.at_pointer("/behavior/scaleUp/stabilizationWindowSeconds") == 0);
    const auto plain = spec("/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
                            R"("spec":{"maxReplicas":3,"scaleTargetRef":{"kind":"D","name":"d"}})");
    CHECK_FALSE(plain.as_object().contains("behavior"));
    const auto claim = spec("/apis/resource.k8s.io/v1/namespaces/default/resourceclaims",
                            R"("spec":{"devices":{"requests":[{"name":"a","exactly":{"deviceClassName":"d",)"
                            R"("allocationMode":"All"}},{"name":"b","firstAvailable":[{"name":"c","deviceClassName":)"
                            R"("d"}]}]}})");
    CHECK_FALSE(claim.at_pointer("/devices/requests/0/exactly").as_object().contains("count"));
    CHECK(claim.at_pointer("/devices/requests/1/firstAvailable/0/count") == 1);
    const auto set = spec("/apis/apps/v1/namespaces/default/statefulsets",
                          R"("spec":{"updateStrategy":{"type":"RollingUpdate"},"selector":{"matchLabels":{"a":"b"}},)"
                          R"("template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":)"
                          R"("i"}]}}})");
    CHECK_FALSE(set.at("updateStrategy").as_object().contains("rollingUpdate"));
}

TEST_CASE("defaults: the quality of service is that of requests and limits", "[apiserver][defaults]")
{
    server s;
    const auto quality = [&](const std::string& first, const std::string& second, const std::string& more = {}) {
        const auto container = [](const std::string& name, const std::string& resources) {
            return R"({"name":")" + name + R"(","image":"i","resources":)" + resources + "}";
        };
        const auto made = s.expect(201, "POST", pods,
                                   R"({"metadata":{"generateName":"x"},"spec":{)" + more + R"("containers":[)" +
                                       container("a", first) + "," + container("b", second) + "]}}");
        return std::string(made.at_pointer("/status/qosClass").as_string());
    };
    const std::string whole = R"({"limits":{"cpu":"1","memory":"1Gi"}})";
    CHECK(quality("{}", R"({"requests":{"cpu":"0","example.com/x":"1"},"limits":{"example.com/x":"1"}})") ==
          "BestEffort");
    CHECK(quality(whole, whole) == "Guaranteed");
    CHECK(quality(whole, "{}") == "Burstable");
    CHECK(quality(whole, R"({"limits":{"cpu":"1000m","memory":"1024Mi"},"requests":{"cpu":"1"}})") == "Guaranteed");
    CHECK(quality(whole, R"({"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"999m"}})") == "Burstable");
    CHECK(quality(whole, whole, R"("initContainers":[{"name":"i","image":"i"}],)") == "Burstable");
}

TEST_CASE("defaults: those of lists are bounded by what can be stored", "[apiserver][defaults]")
{
    server s;
    std::string text = R"({"metadata":{"name":"m"},"webhooks":[{})";
    for (int i = 1; i < 1'000'000; ++i) text += ",{}";
    text += "]}";
    auto body = json::parse(text);
    apiserver::apply_defaults(s.state.find("mutatingwebhookconfigurations.admissionregistration.k8s.io")->info, body,
                              true, false);
    // 150 MB without the bound.
    CHECK(json::serialize(body).size() - text.size() < 35'000'000);
}

TEST_CASE("defaults: a zero is as absent where Go does not tell it from that", "[apiserver][defaults]")
{
    server s;
    const auto levels = s.expect(201, "POST", "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
                                 R"({"metadata":{"name":"l"},"spec":{"type":"Limited","limited":)"
                                 R"({"nominalConcurrencyShares":0,"limitResponse":{"type":"Queue","queuing":)"
                                 R"({"queues":0,"handSize":4}}}}})");
    const auto& limited = levels.at_pointer("/spec/limited");
    CHECK(limited.at("nominalConcurrencyShares") == 0);
    CHECK(json::serialize(sorted(limited.at_pointer("/limitResponse/queuing"))) ==
          R"({"handSize":4,"queueLengthLimit":50,"queues":64})");
}

TEST_CASE("defaults: amounts in lists of resources are rounded away from zero to thousandths", "[apiserver][defaults]")
{
    server s;
    const auto requested = [&](const std::string& amount) {
        const auto made =
            s.expect(201, "POST", pods + "?dryRun=All",
                     R"({"metadata":{"name":"p"},"spec":{"volumes":[{"name":"v","emptyDir":{"sizeLimit":")" + amount +
                         R"("}}],"containers":[{"name":"c","image":"i","resources":{"requests":{"memory":")" + amount +
                         R"("}}}]}})");
        // Others are kept to the billionth.
        return std::string(made.at_pointer("/spec/containers/0/resources/requests/memory").as_string()) + " " +
               std::string(made.at_pointer("/spec/volumes/0/emptyDir/sizeLimit").as_string());
    };
    CHECK(requested("1n") == "1m 1n");
    CHECK(requested("1500u") == "2m 1500u");
    CHECK(requested("1.1e-3") == "2e-3 1100e-6");
    CHECK(requested("1.0000000015") == "1001m 1000000002n");
    CHECK(requested("999999.9999m") == "1k 999999999900n");
    CHECK(requested("0.0001Ki") == "103m 102400u");
    CHECK(requested("0.1Ki") == "102400m 102400m");
    CHECK(requested("9999999999999999999") == "9999999999999999999 9999999999999999999");
    const auto range =
        s.expect(201, "POST", "/api/v1/namespaces/default/limitranges",
                 R"({"metadata":{"name":"r"},"spec":{"limits":[{"type":"Container","max":{"cpu":"-0.1m"}}]}})");
    CHECK(range.at_pointer("/spec/limits/0/max/cpu") == "-1m");
    const auto runtime = s.expect(201, "POST", "/apis/node.k8s.io/v1/runtimeclasses",
                                  R"({"metadata":{"name":"r"},"handler":"h","overhead":{"podFixed":{"cpu":"1n"}}})");
    CHECK(runtime.at_pointer("/overhead/podFixed/cpu") == "1n");
}

TEST_CASE("defaults: restored objects have them", "[apiserver][defaults]")
{
    server s;
    s.expect(201, "POST", "/api/v1/persistentvolumes",
             R"({"metadata":{"name":"v"},"spec":{"capacity":{"storage":"1"},"hostPath":{"path":"/a"}}})");
    auto saved = s.state.dump();
    const std::string mode = R"("volumeMode":"Filesystem")";
    const auto at = saved.find(mode);
    REQUIRE(at != std::string::npos);
    saved.replace(at - 1, mode.size() + 1, "");
    REQUIRE(s.state.restore(saved, s.now));
    CHECK(s.expect(200, "GET", "/api/v1/persistentvolumes/v").at_pointer("/spec/volumeMode") == "Filesystem");
}

TEST_CASE("defaults: a custom resource has none of the built-in kind of its name", "[apiserver][defaults]")
{
    server s;
    for (const auto* name : {"networkpolicies.networking.k8s.io", "podtemplates", "persistentvolumes"}) {
        CAPTURE(name);
        auto info = s.state.find(name)->info;
        info.custom = true;
        auto body = json::parse(R"({"spec":{"hostPath":{}},"template":{}})");
        const auto before = body;
        apiserver::apply_defaults(info, body, false, false);
        CHECK(body == before);
    }
}
