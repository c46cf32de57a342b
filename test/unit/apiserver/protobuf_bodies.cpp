// Bodies of writes give the same objects in protobuf as in JSON.
#include "objects/registry.hpp"
#include "support.hpp"

#include <kubecoro/api/detail/protobuf_form.hpp>
#include <kubecoro/test/protobuf_samples.hpp>

#include <map>
#include <optional>

using namespace kubecoro;
using namespace kubecoro::apiserver;
using namespace kubecoro::test;

namespace {

constexpr std::string_view crd_spec =
    R"({"group":"example.com","scope":"Namespaced","names":{"plural":"samples","kind":"Sample"},"versions":[{"name":"v1",
        "served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",
        "required":["size"],"properties":{"size":{"type":"number","maximum":9.5,"enum":[1,2,null],"default":1},
        "port":{"x-kubernetes-int-or-string":true},"any":{"x-kubernetes-preserve-unknown-fields":true,"type":"object"},
        "list":{"type":"array","items":{"type":"string"}},
        "map":{"type":"object","additionalProperties":{"type":"string"}}}}}}}}]})";

void make_containers_valid(json::value& pod_spec)
{
    auto& spec = pod_spec.is_object() ? pod_spec.get_object() : pod_spec.emplace_object();
    auto& containers = spec["containers"];
    if (!containers.is_array() || containers.get_array().empty()) containers = json::array{json::object{}};
    int count = 0;
    for (const std::string_view list : {"containers", "initContainers", "ephemeralContainers"}) {
        auto* all = spec.if_contains(list);
        if (!all || !all->is_array()) continue;
        for (auto& container : all->get_array()) {
            container.as_object()["name"] = "c" + std::to_string(++count);
            container.as_object()["image"] = "i";
            // Random texts are neither names nor policies.
            for (const std::string_view member :
                 {"env", "envFrom", "imagePullPolicy", "terminationMessagePolicy", "ports", "resources", "resizePolicy",
                  "restartPolicy", "restartPolicyRules", "livenessProbe", "readinessProbe", "startupProbe",
                  "lifecycle"})
                container.as_object().erase(member);
            auto* mounts = container.as_object().if_contains("volumeMounts");
            if (!mounts || !mounts->is_array()) continue;
            for (auto& mount : mounts->get_array()) {
                mount.as_object()["name"] = "v";
                mount.as_object()["mountPath"] = "/" + std::to_string(++count);
                mount.as_object().erase("subPathExpr");
            }
        }
    }
    spec["volumes"] = json::array{json::object{{"name", "v"}}};
    for (const std::string_view member :
         {"restartPolicy", "dnsPolicy", "serviceAccountName", "serviceAccount", "nodeName", "hostname", "subdomain",
          "nodeSelector", "tolerations", "activeDeadlineSeconds", "priorityClassName"})
        spec.erase(member);
}

/// Kinds that the server only stores have a few rules as well.
void make_plain_valid(const resource_info& info, json::object& object)
{
    auto& spec = object["spec"];
    if (info.behaves == builtin::persistent_volume_claim)
        spec = json::parse(R"({"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}})");
    if (info.behaves == builtin::autoscaler)
        spec = json::parse(
            R"({"maxReplicas":3,"scaleTargetRef":{"kind":"Deployment","name":"d","apiVersion":"apps/v1"}})");
    if (info.kind == "NetworkPolicy") spec.as_object()["policyTypes"] = json::array{"Ingress"};
    if (info.kind == "ReplicationController") spec.as_object()["replicas"] = 2;
    if (spec.is_null()) object.erase("spec");
    if (info.kind == "StorageClass") {
        object["provisioner"] = "example.com/p";
        for (const std::string_view member : {"reclaimPolicy", "volumeBindingMode"}) object.erase(member);
    }
    if (info.behaves == builtin::priority_class) {
        object["value"] = 7;
        object.erase("preemptionPolicy");
    }
}

void make_event_valid(bool core, json::object& event)
{
    const auto about = json::object{{"kind", "Pod"}, {"name", "p"}, {"namespace", "default"}};
    event[core ? "involvedObject" : "regarding"] = about;
    if (core) {
        event.erase("eventTime");
        return;
    }
    event["eventTime"] = "2026-11-21T06:00:00.000000Z";
    event["type"] = "Normal";
    for (const std::string_view field : {"reportingController", "reportingInstance", "action", "reason", "note"})
        event[field] = "r";
    for (const std::string_view field :
         {"series", "deprecatedSource", "deprecatedFirstTimestamp", "deprecatedLastTimestamp", "deprecatedCount"})
        event.erase(field);
}

/// A name that fits the object, whose parts that names depend on are replaced.
std::string_view name_of(const resource_info& info, json::object& object)
{
    if (info.behaves == builtin::custom_resource_definition) return "samples.example.com";
    if (info.names == name_rule::ip_address) return "10.9.8.7";
    if (info.names == name_rule::trust_bundle && object["spec"].is_object())
        object["spec"].as_object().erase("signerName");
    if (info.names != name_rule::api_service) return "sample";
    auto& spec = object["spec"].is_object() ? object["spec"].get_object() : object["spec"].emplace_object();
    spec["version"] = "v1";
    spec["group"] = "example.com";
    return "v1.example.com";
}

void make_role_valid(json::object& role)
{
    role["rules"] = json::array{json::object{
        {"verbs", json::array{"get"}}, {"apiGroups", json::array{""}}, {"resources", json::array{"pods"}}}};
    role.erase("aggregationRule");
}

void make_binding_valid(json::object& binding)
{
    binding["roleRef"] =
        json::object{{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "ClusterRole"}, {"name", "r"}};
    binding["subjects"] =
        json::array{json::object{{"kind", "User"}, {"apiGroup", "rbac.authorization.k8s.io"}, {"name", "u"}}};
}

void make_service_valid(json::object& service)
{
    auto& spec = service["spec"].is_object() ? service["spec"].get_object() : service["spec"].emplace_object();
    for (const std::string_view field :
         {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "ports", "sessionAffinity",
          "sessionAffinityConfig", "externalTrafficPolicy", "internalTrafficPolicy", "healthCheckNodePort", "selector"})
        spec.erase(field);
    spec["type"] = "LoadBalancer";
    spec["ports"] = json::array{json::object{{"name", "a"}, {"port", 80}, {"appProtocol", "http"}},
                                json::object{{"name", "b"}, {"port", 81}, {"targetPort", "web"}}};
}

/// Replaces the parts of a random object that the server would refuse.
void make_valid(const resource_info& info, json::object& object)
{
    object["metadata"] = json::object{{"name", name_of(info, object)},
                                      {"labels", json::object{{"a", "b"}}},
                                      {"annotations", json::object{{"note", "\u00e4 <&> \"quoted\""}}},
                                      {"finalizers", json::array{"example.com/keep"}}};
    if (info.behaves == builtin::config_map || info.behaves == builtin::secret) {
        object.erase("immutable");
        object["data"] = json::object{{"k", "dmFsdWU="}, {"empty", ""}};
        if (info.behaves == builtin::config_map) object["binaryData"] = json::object{{"b", "AAEC"}};
        if (info.behaves == builtin::secret) object["stringData"] = json::object{{"s", "text"}};
    }
    if (info.behaves == builtin::event) make_event_valid(info.group.empty(), object);
    make_plain_valid(info, object);
    if (info.kind.ends_with("WebhookConfiguration"))
        object["webhooks"] =
            json::parse(R"([{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"timeoutSeconds":3,)"
                        R"("clientConfig":{"url":"https://a.b/c","caBundle":"YQ=="},"matchConditions":[{"name":"a",)"
                        R"("expression":"true"}],"rules":[{"operations":["*"],"apiGroups":["a"],"apiVersions":["v1"],)"
                        R"("resources":["b"]}],"objectSelector":{"matchLabels":{"a":"b"}}}])");
    if (info.behaves == builtin::lease) {
        object["spec"].as_object()["leaseDurationSeconds"] = 15;
        object["spec"].as_object()["leaseTransitions"] = 1;
    }
    if (info.behaves == builtin::custom_resource_definition) {
        object["spec"] = json::parse(crd_spec);
        if (auto* status = object.if_contains("status"); status && status->is_object())
            status->get_object().erase("acceptedNames");
    }
    if (info.behaves == builtin::pod) {
        make_containers_valid(object["spec"]);
        // They are those of a class, which does not exist.
        for (const std::string_view field : {"priorityClassName", "priority", "preemptionPolicy"})
            object["spec"].as_object().erase(field);
    }
    if (info.behaves == builtin::role) make_role_valid(object);
    if (info.behaves == builtin::service) make_service_valid(object);
    if (info.behaves == builtin::role_binding) make_binding_valid(object);
    if (info.behaves == builtin::disruption_budget) {
        object["spec"].as_object()["selector"] = json::object{{"matchLabels", json::object{{"a", "b"}}}};
        object["spec"].as_object()["minAvailable"] = 1;
        object["spec"].as_object().erase("maxUnavailable");
    }
    if (info.behaves == builtin::cron_job) {
        object["spec"].as_object()["schedule"] = "@daily";
        object["spec"].as_object()["jobTemplate"] = json::parse(
            R"({"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})");
        for (const std::string_view member :
             {"concurrencyPolicy", "startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit"})
            object["spec"].as_object().erase(member);
    }
    if (info.behaves == builtin::job) {
        auto& spec = object["spec"].as_object();
        for (const std::string_view member : {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit",
                                              "ttlSecondsAfterFinished", "completionMode"})
            spec.erase(member);
        auto& pods = spec["template"].as_object()["spec"];
        make_containers_valid(pods);
        pods.as_object()["restartPolicy"] = "Never";
    }
    if (selects_pods(info.behaves)) {
        auto& spec = object["spec"].as_object();
        if (spec.contains("replicas")) spec["replicas"] = 3;
        for (const std::string_view member :
             {"minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds", "strategy"})
            spec.erase(member);
        spec["selector"] = json::object{{"matchLabels", json::object{{"a", "b"}}}};
        auto& pods = spec["template"].as_object();
        pods["metadata"] = json::object{{"labels", json::object{{"a", "b"}}}};
        make_containers_valid(pods["spec"]);
    }
}

/// Two servers that make the same uids at the same time; one gets bodies in JSON, the other in protobuf.
struct twins
{
    server in_json;
    server in_protobuf;
    /// The last answer to JSON.
    std::string last;

    /// Sends an object to both, and checks that both do the same. Returns the status; nothing if protobuf would not say the
    /// same.
    std::optional<int> write(const std::string& method, const std::string& target, const json::object& object,
                             const detail::schema_kind* kind)
    {
        const auto text = json::serialize(object);
        const auto body = detail::encode_protobuf_body(text, kind);
        if (!body) return std::nullopt;
        const auto one = in_json.ask(method, target, text, {{"Content-Type", "application/json"}});
        const auto other =
            in_protobuf.ask(method, target, *body, {{"Content-Type", std::string(detail::protobuf_type)}});
        INFO(text);
        last = one.body;
        CHECK(other.status == one.status);
        CHECK(json::parse(other.body) == json::parse(one.body));
        return one.status;
    }
    /// The stored object, whose bytes are the same in both: in protobuf, where the order of members is that of the schema.
    json::value stored(const std::string& target)
    {
        const server::headers stored_form{{"Accept", std::string(detail::protobuf_type)}};
        const auto one = in_json.ask("GET", target, {}, stored_form);
        CHECK(one.status == 200);
        CHECK(in_protobuf.ask("GET", target, {}, stored_form).body == one.body);
        auto shown = json::parse(in_json.get(target).body);
        CHECK(json::parse(in_protobuf.get(target).body) == shown);
        return shown;
    }
};

std::map<std::string, std::vector<std::string>> objects_by_kind()
{
    std::map<std::string, std::vector<std::string>> out;
    protobuf_samples samples;
    while (const auto sample = samples.next()) {
        if (!sample->name.starts_with("object ")) continue;
        const auto name = sample->name.substr(7);
        out[std::string(name.substr(0, name.rfind(' ')))].emplace_back(sample->json);
    }
    return out;
}

} // namespace

TEST_CASE("protobuf: every kind is stored from both forms of bodies alike", "[apiserver][protobuf]")
{
    const auto samples = objects_by_kind();
    for (const auto& info : builtin_resources()) {
        if (info.behaves == builtin::review) continue; // not stored
        for (const auto& version : info.versions) {
            const auto api_version = info.api_version(version.name);
            const auto* kind = detail::builtin_schemas::find(api_version, info.kind);
            INFO(api_version << " " << info.kind);
            REQUIRE(kind != nullptr);
            const std::string collection = (info.group.empty() ? "/api/" : "/apis/") + api_version +
                                           (info.namespaced ? "/namespaces/default/" : "/") + info.plural;
            std::size_t written = 0;
            for (const auto& sample : samples.at(api_version + " " + info.kind)) {
                twins both;
                auto object = json::parse(sample).as_object();
                make_valid(info, object);
                const auto name = std::string(object["metadata"].at("name").as_string());
                const auto target = collection + "/" + name;
                const auto created = both.write("POST", collection, object, kind);
                if (!created) continue;
                INFO(both.last);
                REQUIRE(*created == 201);
                auto stored = both.stored(target);
                stored.at("metadata").at("labels").as_object()["changed"] = "yes";
                CHECK(both.write("PUT", target, stored.as_object(), kind) == 200);
                if (info.has_status) {
                    stored = both.stored(target);
                    stored.as_object()["status"] = object["status"];
                    CHECK(both.write("PUT", target + "/status", stored.as_object(), kind) == 200);
                }
                both.stored(target);
                ++written;
            }
            CHECK(written > 0);
        }
    }
}

TEST_CASE("protobuf: a scale is stored from both forms of bodies alike", "[apiserver][protobuf]")
{
    twins both;
    const std::string target = "/apis/apps/v1/namespaces/default/deployments";
    const auto deployment = json::parse(R"({"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},
        "template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})");
    CHECK(both.write("POST", target, deployment.as_object(), detail::builtin_schemas::find("apps/v1", "Deployment")) ==
          201);
    auto scale = both.stored(target + "/d/scale");
    scale.at("spec").as_object()["replicas"] = 7;
    CHECK(both.write("PUT", target + "/d/scale", scale.as_object(), nullptr) == 200);
    CHECK(both.stored(target + "/d").at("spec").at("replicas") == 7);
}
