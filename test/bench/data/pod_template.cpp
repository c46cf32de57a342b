#include "pod_template.hpp"

#include "fields_v1.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

namespace json = boost::json;

namespace kubecoro::bench {
namespace {

constexpr std::array<std::string_view, 24> subjects{
    "account",  "audit",  "basket",  "billing",  "catalog", "chat",     "checkout", "customer",
    "delivery", "feed",   "gateway", "identity", "invoice", "ledger",   "mailing",  "metrics",
    "orders",   "photos", "pricing", "ranking",  "search",  "sessions", "shipping", "stock"};
constexpr std::array<std::string_view, 16> roles{"api",      "worker",  "frontend", "cache", "consumer", "exporter",
                                                 "importer", "indexer", "planner",  "proxy", "reader",   "renderer",
                                                 "router",   "scorer",  "store",    "writer"};
constexpr std::array<std::string_view, 10> sidecars{"envoy",        "fluent-bit",     "statsd",         "vault-agent",
                                                    "oauth2-proxy", "otel-collector", "cloudsql-proxy", "reloader",
                                                    "nginx",        "pgbouncer"};
constexpr std::array<std::string_view, 36> settings{"DB_HOST",
                                                    "DB_PORT",
                                                    "DB_NAME",
                                                    "DB_USER",
                                                    "REDIS_URL",
                                                    "KAFKA_BROKERS",
                                                    "LOG_LEVEL",
                                                    "LOG_FORMAT",
                                                    "HTTP_PORT",
                                                    "GRPC_PORT",
                                                    "METRICS_PORT",
                                                    "REGION",
                                                    "ENVIRONMENT",
                                                    "FEATURE_FLAGS",
                                                    "CACHE_TTL",
                                                    "MAX_CONNECTIONS",
                                                    "REQUEST_TIMEOUT",
                                                    "RETRY_LIMIT",
                                                    "S3_BUCKET",
                                                    "SENTRY_DSN",
                                                    "TRACE_ENDPOINT",
                                                    "TRACE_RATIO",
                                                    "QUEUE_NAME",
                                                    "WORKER_THREADS",
                                                    "BATCH_SIZE",
                                                    "AUTH_ISSUER",
                                                    "AUTH_AUDIENCE",
                                                    "TZ",
                                                    "LANG",
                                                    "JAVA_OPTS",
                                                    "NODE_OPTIONS",
                                                    "GOMAXPROCS",
                                                    "SHUTDOWN_DELAY",
                                                    "BASE_URL",
                                                    "SMTP_HOST",
                                                    "CURRENCY"};
constexpr std::array<std::string_view, 14> notes{"checksum/config",
                                                 "checksum/secrets",
                                                 "cni.projectcalico.org/containerID",
                                                 "deploy.example.com/commit",
                                                 "deploy.example.com/pipeline",
                                                 "deploy.example.com/trace",
                                                 "linkerd.io/proxy-version",
                                                 "policy.example.com/digest",
                                                 "prometheus.io/path",
                                                 "sidecar.istio.io/status",
                                                 "vault.example.com/lease",
                                                 "vault.example.com/role",
                                                 "vpa.example.com/last",
                                                 "zz.example.com/fingerprint"};

std::string place(std::string_view name) { return "@{" + std::string(name) + '}'; }
std::string place(std::string_view name, std::size_t k) { return "@{" + std::string(name) + std::to_string(k) + '}'; }
json::value number_place(std::string_view name) { return json::value("@{#" + std::string(name) + '}'); }

/// The names behind the places, in the order of pod_slot.
const std::vector<std::string_view>& slot_names()
{
    static const std::vector<std::string> texts = [] {
        std::vector<std::string> out{"name", "uid",     "version", "created", "ready_at", "reported_at",
                                     "node", "host_ip", "ip",      "token",   "restarts"};
        for (std::size_t k = 0; k < max_containers; ++k) out.push_back("id" + std::to_string(k));
        for (std::size_t k = 0; k < max_containers; ++k) out.push_back("started" + std::to_string(k));
        for (std::size_t k = 0; k < max_own_values; ++k) out.push_back("own" + std::to_string(k));
        return out;
    }();
    static const std::vector<std::string_view> names(texts.begin(), texts.end());
    return names;
}

json::object sorted(const std::map<std::string, std::string>& texts)
{
    json::object out;
    for (const auto& [key, text] : texts) out[key] = text;
    return out;
}

unsigned draw(seeded& random, pod_shape::range r) { return random.between(r.low, r.high); }

/** Builds one template. What the controller writes and what the server's admission adds are kept apart, because only the former
    is in managedFields. */
class pod_builder
{
public:
    pod_builder(const workload& work, const pod_shape& shape, seeded random)
        : work_(work), shape_(shape), random_(random), first_sidecar_(random_.below(sidecars.size()))
    {
    }

    json::object pod()
    {
        containers_ = draw(random_, shape_.containers);
        config_volumes_ = draw(random_, shape_.config_volumes);
        const unsigned init = draw(random_, shape_.init_containers);
        json::object spec = written_spec(init);
        json::object metadata = written_metadata();
        const json::object status = written_status(init);
        json::array managed{
            managed_entry("kube-controller-manager", "@{created}", {{"metadata", metadata}, {"spec", spec}}, {}),
            managed_entry("kubelet", "@{reported_at}", {{"status", status}}, "status")};
        metadata["managedFields"] = std::move(managed);
        return {{"kind", "Pod"},
                {"apiVersion", "v1"},
                {"metadata", complete_metadata(std::move(metadata))},
                {"spec", admitted_spec(std::move(spec))},
                {"status", complete_status(status)}};
    }

private:
    std::string text(std::size_t length)
    {
        if (shape_.own_values && own_ < max_own_values) return place("own", own_++);
        return random_.text(length, "abcdefghijklmnopqrstuvwxyz0123456789-._/");
    }

    /// The application is the first container; the names of the others are those of well-known helpers.
    [[nodiscard]] std::string container_name(unsigned i) const
    {
        return i == 0 ? work_.app : std::string(sidecars[(first_sidecar_ + i) % sidecars.size()]);
    }

    [[nodiscard]] std::string image_of(const std::string& container) const
    {
        return container == work_.app ? work_.image : "registry.example.com/infra/" + container + ":2.4.1";
    }

    json::object written_metadata()
    {
        std::map<std::string, std::string> labels{{"app", work_.app}, {"pod-template-hash", work_.hash}};
        if (random_.once_in(2)) labels["team"] = work_.team;
        if (random_.once_in(4)) labels["app.kubernetes.io/instance"] = work_.app + "-" + work_.name_space;
        if (random_.once_in(4)) labels["app.kubernetes.io/version"] = work_.image.substr(work_.image.rfind(':') + 1);
        std::map<std::string, std::string> annotations{{std::string(stamp_annotation), std::string(no_stamp)}};
        if (random_.once_in(4)) {
            annotations["prometheus.io/port"] = "9090";
            annotations["prometheus.io/scrape"] = "true";
        }
        for (unsigned n = draw(random_, shape_.annotations); annotations.size() < n;)
            annotations[std::string(random_.pick(notes))] = text(64);
        return {{"generateName", work_.app + "-" + work_.hash + "-"},
                {"labels", sorted(labels)},
                {"annotations", sorted(annotations)},
                {"ownerReferences", json::array{{{"apiVersion", "apps/v1"},
                                                 {"kind", "ReplicaSet"},
                                                 {"name", work_.app + "-" + work_.hash},
                                                 {"uid", work_.replica_set_uid},
                                                 {"controller", true},
                                                 {"blockOwnerDeletion", true}}}}};
    }

    json::object complete_metadata(json::object written)
    {
        json::object out{{"name", place("name")},
                         {"generateName", written["generateName"]},
                         {"namespace", work_.name_space},
                         {"uid", place("uid")},
                         {"resourceVersion", place("version")},
                         {"generation", 1},
                         {"creationTimestamp", place("created")}};
        for (const std::string_view key : {"labels", "annotations", "ownerReferences", "managedFields"})
            out[key] = std::move(written[key]);
        return out;
    }

    static json::object managed_entry(std::string_view manager, std::string_view time, const json::object& written,
                                      std::string_view subresource)
    {
        json::object out{{"manager", manager}, {"operation", "Update"},    {"apiVersion", "v1"},
                         {"time", time},       {"fieldsType", "FieldsV1"}, {"fieldsV1", fields_v1(written)}};
        if (!subresource.empty()) out["subresource"] = subresource;
        return out;
    }

    json::object written_spec(unsigned init)
    {
        json::object out;
        json::array volumes;
        for (unsigned i = 0; i < config_volumes_; ++i) volumes.push_back(config_volume(i));
        if (!volumes.empty()) out["volumes"] = std::move(volumes);
        json::array containers;
        for (unsigned i = 0; i < init; ++i) containers.push_back(container("init-" + std::to_string(i), false));
        if (init > 0) out["initContainers"] = std::move(containers);
        containers = {};
        for (unsigned i = 0; i < containers_; ++i) containers.push_back(container(container_name(i), true));
        out["containers"] = std::move(containers);
        out["restartPolicy"] = "Always";
        out["terminationGracePeriodSeconds"] = random_.once_in(3) ? 60 : 30;
        out["dnsPolicy"] = "ClusterFirst";
        const std::string account = random_.once_in(2) ? "default" : work_.app;
        out["serviceAccountName"] = account;
        out["serviceAccount"] = account;
        out["securityContext"] = shape_.full_containers
                                     ? json::object{{"runAsUser", 1000}, {"runAsNonRoot", true}, {"fsGroup", 2000}}
                                     : json::object{};
        out["schedulerName"] = "default-scheduler";
        out["enableServiceLinks"] = true;
        return out;
    }

    json::value config_volume(unsigned i)
    {
        const std::string name = work_.app + (i == 0 ? "" : "-" + std::to_string(i));
        if (i % 3 == 1)
            return json::object{{"name", "tls-" + name},
                                {"secret", {{"secretName", name + "-tls"}, {"defaultMode", 420}}}};
        if (i % 3 == 2) return json::object{{"name", "scratch-" + name}, {"emptyDir", json::object{}}};
        return json::object{{"name", "config-" + name},
                            {"configMap", {{"name", name + "-config"}, {"defaultMode", 420}}}};
    }

    json::value container(std::string name, bool serves)
    {
        json::object out{{"name", name}, {"image", image_of(name)}};
        const bool full = shape_.full_containers || random_.once_in(16);
        if (full || random_.once_in(4)) out["args"] = arguments(name, full);
        if (serves && (full || random_.once_in(2)))
            out["ports"] =
                json::array{{{"name", "http"}, {"containerPort", random_.between(8000, 9999)}, {"protocol", "TCP"}}};
        if (json::array env = environment(); !env.empty()) out["env"] = std::move(env);
        out["resources"] = full || random_.once_in(2) ? resources() : json::object();
        json::array mounts;
        for (unsigned i = 0; i < config_volumes_; ++i)
            mounts.push_back({{"name", config_volume(i).at("name")},
                              {"readOnly", true},
                              {"mountPath", "/etc/" + name + "/" + std::to_string(i)}});
        if (!mounts.empty()) out["volumeMounts"] = std::move(mounts);
        if (serves) {
            if (full) out["livenessProbe"] = probe("/healthz", 10);
            if (full || random_.once_in(8)) out["readinessProbe"] = probe("/readyz", 5);
        }
        out["terminationMessagePath"] = "/dev/termination-log";
        out["terminationMessagePolicy"] = "File";
        out["imagePullPolicy"] = "IfNotPresent";
        if (full)
            out["securityContext"] = json::object{{"capabilities", {{"drop", json::array{"ALL"}}}},
                                                  {"readOnlyRootFilesystem", true},
                                                  {"allowPrivilegeEscalation", false}};
        return out;
    }

    json::object resources()
    {
        limited_ = true;
        return {{"limits", {{"cpu", "500m"}, {"memory", std::to_string(128 << random_.below(4)) + "Mi"}}},
                {"requests", {{"cpu", "100m"}, {"memory", "128Mi"}}}};
    }

    json::array arguments(const std::string& name, bool full)
    {
        json::array out{"--config=/etc/" + name + "/config.yaml", "--v=2"};
        if (!full) return out;
        out.push_back("--listen=0.0.0.0:8080");
        for (std::uint32_t i = random_.below(2); i > 0; --i)
            out.emplace_back("--" + std::string(random_.pick(subjects)) + "-endpoint=https://" +
                             std::string(random_.pick(subjects)) + "-" + std::string(random_.pick(roles)) + "." +
                             work_.name_space + ".svc.cluster.local:8443");
        return out;
    }

    json::array environment()
    {
        if (!shape_.full_containers && random_.once_in(2) && !shape_.own_values) return {};
        json::array out{
            {{"name", "POD_IP"}, {"valueFrom", {{"fieldRef", {{"apiVersion", "v1"}, {"fieldPath", "status.podIP"}}}}}}};
        const unsigned count = draw(random_, shape_.env);
        const unsigned first = random_.below(settings.size());
        for (unsigned i = 0; i < count; ++i)
            out.push_back({{"name", settings[(first + i) % settings.size()]}, {"value", text(random_.between(8, 40))}});
        return out;
    }

    static json::object probe(std::string_view path, int period)
    {
        return {{"httpGet", {{"path", path}, {"port", "http"}, {"scheme", "HTTP"}}},
                {"initialDelaySeconds", 5},
                {"timeoutSeconds", 1},
                {"periodSeconds", period},
                {"successThreshold", 1},
                {"failureThreshold", 3}};
    }

    /// What admission and the scheduler add: the token volume, its mounts, default tolerations, priority, node.
    json::object admitted_spec(json::object written)
    {
        const std::string token = "kube-api-access-@{token}";
        json::object out;
        json::array volumes = written.contains("volumes") ? written["volumes"].as_array() : json::array{};
        volumes.push_back(token_volume(token));
        out["volumes"] = std::move(volumes);
        for (const std::string_view key : {"initContainers", "containers"}) {
            if (!written.contains(key)) continue;
            for (json::value& c : written[key].as_array()) add_token_mount(c.as_object(), token);
            out[key] = written[key];
        }
        for (const std::string_view key :
             {"restartPolicy", "terminationGracePeriodSeconds", "dnsPolicy", "serviceAccountName", "serviceAccount"})
            out[key] = written[key];
        out["nodeName"] = place("node");
        out["securityContext"] = written["securityContext"];
        out["schedulerName"] = written["schedulerName"];
        out["tolerations"] = json::array{toleration("not-ready"), toleration("unreachable")};
        out["priority"] = 0;
        out["enableServiceLinks"] = true;
        out["preemptionPolicy"] = "PreemptLowerPriority";
        return out;
    }

    static json::object toleration(std::string_view what)
    {
        return {{"key", "node.kubernetes.io/" + std::string(what)},
                {"operator", "Exists"},
                {"effect", "NoExecute"},
                {"tolerationSeconds", 300}};
    }

    static json::object token_volume(std::string_view name)
    {
        const json::object field{{"apiVersion", "v1"}, {"fieldPath", "metadata.namespace"}};
        return {
            {"name", name},
            {"projected",
             {{"sources",
               json::array{
                   {{"serviceAccountToken", {{"expirationSeconds", 3607}, {"path", "token"}}}},
                   {{"configMap",
                     {{"name", "kube-root-ca.crt"}, {"items", json::array{{{"key", "ca.crt"}, {"path", "ca.crt"}}}}}}},
                   {{"downwardAPI", {{"items", json::array{{{"path", "namespace"}, {"fieldRef", field}}}}}}}}},
              {"defaultMode", 420}}}};
    }

    /// Puts the mount behind the container's own, at the place where a server writes mounts.
    static void add_token_mount(json::object& container, std::string_view token)
    {
        json::object out;
        json::array mounts = container.contains("volumeMounts") ? container["volumeMounts"].as_array() : json::array{};
        mounts.push_back(
            {{"name", token}, {"readOnly", true}, {"mountPath", "/var/run/secrets/kubernetes.io/serviceaccount"}});
        for (auto& [key, value] : container) {
            if (key != "volumeMounts") out[key] = value;
            if (key == "resources") out["volumeMounts"] = mounts;
        }
        container = std::move(out);
    }

    static json::object condition(std::string_view type, std::string_view since)
    {
        return {{"type", type}, {"status", "True"}, {"lastProbeTime", nullptr}, {"lastTransitionTime", since}};
    }

    json::object written_status(unsigned init)
    {
        json::object out{
            {"phase", "Running"},
            {"conditions",
             json::array{condition("PodReadyToStartContainers", "@{created}"), condition("Initialized", "@{created}"),
                         condition("Ready", "@{ready_at}"), condition("ContainersReady", "@{ready_at}")}},
            {"hostIP", place("host_ip")},
            {"hostIPs", json::array{{{"ip", place("host_ip")}}}},
            {"podIP", place("ip")},
            {"podIPs", json::array{{{"ip", place("ip")}}}},
            {"startTime", place("created")}};
        json::array statuses;
        for (unsigned i = 0; i < init; ++i)
            statuses.push_back(container_status("init-" + std::to_string(i), containers_ + i, false));
        if (init > 0) out["initContainerStatuses"] = std::move(statuses);
        statuses = {};
        for (unsigned i = 0; i < containers_; ++i) statuses.push_back(container_status(container_name(i), i, true));
        out["containerStatuses"] = std::move(statuses);
        return out;
    }

    json::object container_status(const std::string& name, std::size_t place_number, bool runs)
    {
        const std::string started = place("started", place_number);
        const std::string id = "containerd://" + place("id", place_number);
        json::object terminated{{"exitCode", 0},
                                {"reason", "Completed"},
                                {"startedAt", started},
                                {"finishedAt", started},
                                {"containerID", id}};
        json::object state = runs ? json::object{{"running", {{"startedAt", started}}}}
                                  : json::object{{"terminated", std::move(terminated)}};
        const bool own = name == work_.app;
        const std::string image = image_of(name);
        const std::string digest =
            own ? work_.image_digest : seeded(1, name.size(), static_cast<unsigned char>(name[0])).hex(64);
        json::object out{{"name", name},
                         {"state", std::move(state)},
                         {"lastState", json::object{}},
                         {"ready", true},
                         {"restartCount", own ? number_place("restarts") : json::value(0)},
                         {"image", image},
                         {"imageID", image.substr(0, image.rfind(':')) + "@sha256:" + digest},
                         {"containerID", id},
                         {"started", runs}};
        // Newer kubelets report mounts; small pods are those of older ones.
        if (shape_.full_containers || shape_.own_values)
            out["volumeMounts"] = json::array{{{"name", "kube-api-access-@{token}"},
                                               {"mountPath", "/var/run/secrets/kubernetes.io/serviceaccount"},
                                               {"readOnly", true},
                                               {"recursiveReadOnly", "Disabled"}}};
        return out;
    }

    json::object complete_status(json::object written)
    {
        written["conditions"].as_array().push_back(condition("PodScheduled", "@{created}"));
        written["qosClass"] = limited_ ? "Burstable" : "BestEffort";
        return written;
    }

    const workload& work_;
    const pod_shape& shape_;
    seeded random_;
    unsigned first_sidecar_;
    unsigned containers_ = 0;
    unsigned config_volumes_ = 0;
    std::size_t own_ = 0;
    bool limited_ = false;
};

} // namespace

workload make_workload(std::uint64_t seed, std::uint32_t number)
{
    seeded random(seed, 1, number);
    workload out;
    const std::string_view subject = random.pick(subjects);
    out.app = std::string(subject) + "-" + std::string(random.pick(roles));
    // About ten workloads share a namespace.
    seeded home(seed, 2, number / 10);
    out.team = home.pick(subjects);
    out.name_space = out.team + "-" + home.text(4, name_alphabet);
    out.hash = random.text(10, name_alphabet);
    out.replica_set_uid = random.uuid();
    out.image = "registry.example.com/" + out.team + "/" + out.app + ":v" + std::to_string(random.between(1, 4)) + "." +
                std::to_string(random.below(60)) + "." + std::to_string(random.below(10));
    out.image_digest = random.hex(64);
    out.rolled_out = 1'788'000'000 + random.below(60U * 86'400U);
    return out;
}

text_template make_pod_template(const workload& work, const pod_shape& shape, seeded random)
{
    return {json::serialize(pod_builder(work, shape, random).pod()), slot_names()};
}

} // namespace kubecoro::bench
