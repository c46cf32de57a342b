// Conformance cases: bodies in protobuf are stored like those in JSON.
#include "cluster_under_test.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/recording.hpp>

#include <boost/json.hpp>

using namespace kubecoro;
using namespace kubecoro::conformance;
namespace json = boost::json;

namespace {

constexpr std::string_view bodies = "kubecoro_client_protobuf_bodies_total";

const std::string rich_pod = R"("spec":{"automountServiceAccountToken":false,"terminationGracePeriodSeconds":0,
    "nodeSelector":{"disk":"ssd"},"tolerations":[{"operator":"Exists","tolerationSeconds":5,"effect":"NoExecute"}],
    "containers":[{"name":"c","image":"i","command":[],"env":[{"name":"E","value":""},
    {"name":"F","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}],"ports":[{"containerPort":80,"name":"web"}],
    "resources":{"limits":{"cpu":"1500m","memory":1073741824},"requests":{"cpu":"0.5","memory":"1e3"}},
    "livenessProbe":{"httpGet":{"path":"/","port":"web"},"periodSeconds":3},
    "readinessProbe":{"tcpSocket":{"port":80}},"volumeMounts":[{"name":"v","mountPath":"/v","readOnly":false}]}],
    "volumes":[{"name":"v","emptyDir":{"sizeLimit":"1.5Gi"}},{"name":"p","projected":{"sources":[
    {"configMap":{"name":"m","items":[{"key":"k","path":"p","mode":256}]}}]}}]})";

const std::string template_of_pods =
    R"("selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},)" + rich_pod + "}";

struct sample
{
    resource_type type;
    /// Without its outer braces, kind, apiVersion and metadata.
    std::string content;
};

std::vector<sample> samples()
{
    return {
        {untyped::config_map::resource(), R"("data":{"k":"\u00e4<&>\n","empty":""},"binaryData":{"b":"AP/+"})"},
        {untyped::secret::resource(), R"("type":"Opaque","data":{"k":"dg==","empty":""},"stringData":{"s":"text"})"},
        {untyped::pod::resource(), rich_pod},
        {untyped::service::resource(), R"("spec":{"clusterIP":"None","selector":{"a":"b"},"ports":[
            {"name":"w","port":80,"targetPort":"web"},{"name":"n","port":81,"targetPort":8081,"protocol":"UDP"}]})"},
        {untyped::deployment::resource(), R"("spec":{"replicas":0,"paused":true,"strategy":{"rollingUpdate":
            {"maxSurge":"10%","maxUnavailable":1}},)" +
                                              template_of_pods + "}"},
        {untyped::stateful_set::resource(), R"("spec":{"replicas":0,"serviceName":"s","volumeClaimTemplates":[
            {"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{"name":"c"},"spec":{"accessModes":
            ["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}],)" +
                                                template_of_pods + "}"},
        {untyped::job::resource(), R"("spec":{"suspend":true,"backoffLimit":0,"template":{)" + rich_pod.substr(0, 8) +
                                       R"("restartPolicy":"Never",)" + rich_pod.substr(8) + "}}"},
        {untyped::lease::resource(), R"("spec":{"holderIdentity":"me","leaseDurationSeconds":15,
            "renewTime":"2026-11-21T06:00:00.000001Z"})"},
    };
}

/// An object without what differs between two writes.
json::value content_of(const object& o)
{
    auto v = o.to_json();
    auto& metadata = v.at("metadata").as_object();
    for (const auto* member : {"name", "uid", "resourceVersion", "creationTimestamp"}) metadata.erase(member);
    if (auto* managers = metadata.if_contains("managedFields"))
        for (auto& manager : managers->as_array()) manager.as_object().erase("time");
    // A job's selector and labels have its uid and its name.
    for (const auto* member : {"labels", "annotations", "generateName"}) metadata.erase(member);
    if (o.kind() == "Job") v.at("spec").as_object().erase("selector");
    if (o.kind() == "Job") v.at_pointer("/spec/template").as_object().erase("metadata");
    return v;
}

} // namespace

TEST_CASE("bodies in protobuf are stored as bodies in JSON are", "[conformance][bodies]")
{
    cluster_under_test c;
    auto numbers = std::make_shared<testing::recording_metrics>();
    client_options options;
    options.body_form = wire_form::protobuf;
    options.metrics = numbers;
    const auto in_protobuf = c.connect(options);
    const write_options as_program{.field_manager = "conformance"};
    double sent = 0;
    for (const auto& [type, content] : samples()) {
        INFO(type.kind);
        const auto body = [&](const std::string& name, const std::string& more = {}) {
            return R"({"kind":")" + type.kind + R"(","apiVersion":")" + type.api_version() +
                   R"(","metadata":{"name":")" + name + '"' + more + "}," + content + "}";
        };
        REQUIRE(c.run(c.in_ns(type).create(body("json"), as_program)));
        REQUIRE(c.run(in_protobuf.create(type, c.ns(), body("protobuf"), as_program)));
        const auto one = c.run(c.in_ns(type).get("json")).value();
        const auto other = c.run(c.in_ns(type).get("protobuf")).value();
        CHECK(content_of(other) == content_of(one));

        const std::string more = R"(,"annotations":{"changed":"yes"})";
        const auto changed = c.run(c.in_ns(type).update("json", body("json", more), as_program));
        const auto changed_too =
            c.run(in_protobuf.update(type, c.ns(), "protobuf", body("protobuf", more), as_program));
        INFO((changed ? "" : changed.error().describe()));
        REQUIRE(changed.has_value() == changed_too.has_value());
        if (changed) CHECK(content_of(*changed_too) == content_of(*changed));
        sent += 2;
        CHECK(numbers->value(bodies, {{"outcome", "sent"}}) == sent);
        for (const auto* name : {"json", "protobuf"}) REQUIRE(c.run(c.in_ns(type).remove(name)));
    }
    CHECK(numbers->value(bodies, {{"outcome", "unfit"}}) == 0);
    CHECK(numbers->value(bodies, {{"outcome", "refused"}}) == 0);
}

TEST_CASE("a status and a scale are written in protobuf", "[conformance][bodies]")
{
    cluster_under_test c;
    auto numbers = std::make_shared<testing::recording_metrics>();
    client_options options;
    options.body_form = wire_form::protobuf;
    options.metrics = numbers;
    const auto deployments = c.connect(options).resource(untyped::deployment::resource(), c.ns());
    auto made = c.run(deployments.create(deployment("d", 1))).value().to_json();
    made.as_object()["status"] = {{"replicas", 1}, {"observedGeneration", 1}};
    const auto status = c.run(deployments.update("d", made, {}, "status")).value();
    CHECK(status["status"]["replicas"].as_int64() == 1);
    auto scale = c.run(deployments.get("d", "scale")).value().to_json();
    scale.at("spec").as_object()["replicas"] = 3;
    const auto scaled = c.run(deployments.update("d", scale, {}, "scale")).value();
    CHECK(scaled["spec"]["replicas"].as_int64() == 3);
    const auto stored = c.run(deployments.get("d")).value();
    CHECK(stored["spec"]["replicas"].as_int64() == 3);
    CHECK(numbers->value(bodies, {{"outcome", "sent"}}) == 3);
}

TEST_CASE("a body that protobuf cannot say is judged by the server", "[conformance][bodies]")
{
    cluster_under_test c;
    client_options options;
    options.body_form = wire_form::protobuf;
    const auto maps = c.connect(options).resource(untyped::config_map::resource(), c.ns());
    const std::string unknown = R"({"metadata":{"name":"a"},"data":{"k":"v"},"bogus":1})";
    const auto created = c.run(maps.create(unknown)).value();
    CHECK(created["data"]["k"].as_string() == "v");
    CHECK_FALSE(created["bogus"]);
    write_options strict;
    strict.validation = field_validation::strict;
    const auto refused = c.run(maps.update("a", unknown, strict));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().status()->message.find("unknown field \"bogus\"") != std::string::npos);
    const auto wrong = c.run(maps.update("a", R"({"metadata":{"name":"a"},"data":{"k":1}})"));
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().status()->code == 400);
}
