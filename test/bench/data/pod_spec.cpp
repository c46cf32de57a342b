#include "pod_draft.hpp"

#include <array>
#include <string>
#include <utility>

namespace json = boost::json;

namespace kubecoro::bench {
namespace {

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

json::value config_volume(const pod_draft& d, unsigned i)
{
    const std::string name = d.work.app + (i == 0 ? "" : "-" + std::to_string(i));
    if (i % 3 == 1)
        return json::object{{"name", "tls-" + name}, {"secret", {{"secretName", name + "-tls"}, {"defaultMode", 420}}}};
    if (i % 3 == 2) return json::object{{"name", "scratch-" + name}, {"emptyDir", json::object{}}};
    return json::object{{"name", "config-" + name}, {"configMap", {{"name", name + "-config"}, {"defaultMode", 420}}}};
}

json::object resources(pod_draft& d)
{
    d.limited = true;
    return {{"limits", {{"cpu", "500m"}, {"memory", std::to_string(128 << d.random.below(4)) + "Mi"}}},
            {"requests", {{"cpu", "100m"}, {"memory", "128Mi"}}}};
}

json::array arguments(pod_draft& d, const std::string& name, bool full)
{
    json::array out{"--config=/etc/" + name + "/config.yaml", "--v=2"};
    if (!full) return out;
    out.push_back("--listen=0.0.0.0:8080");
    for (std::uint32_t i = d.random.below(2); i > 0; --i)
        out.emplace_back("--" + std::string(d.random.pick(subjects)) + "-endpoint=https://" +
                         std::string(d.random.pick(subjects)) + "-" + std::string(d.random.pick(roles)) + "." +
                         d.work.name_space + ".svc.cluster.local:8443");
    return out;
}

json::array environment(pod_draft& d)
{
    if (!d.shape.full_containers && d.random.once_in(2) && !d.shape.own_values) return {};
    json::array out{
        {{"name", "POD_IP"}, {"valueFrom", {{"fieldRef", {{"apiVersion", "v1"}, {"fieldPath", "status.podIP"}}}}}}};
    const unsigned count = d.draw(d.shape.env);
    const unsigned first = d.random.below(settings.size());
    for (unsigned i = 0; i < count; ++i)
        out.push_back({{"name", settings[(first + i) % settings.size()]}, {"value", d.text(d.random.between(8, 40))}});
    return out;
}

json::object probe(std::string_view path, int period)
{
    return {{"httpGet", {{"path", path}, {"port", "http"}, {"scheme", "HTTP"}}},
            {"initialDelaySeconds", 5},
            {"timeoutSeconds", 1},
            {"periodSeconds", period},
            {"successThreshold", 1},
            {"failureThreshold", 3}};
}

json::value container(pod_draft& d, std::string name, bool serves)
{
    json::object out{{"name", name}, {"image", d.image_of(name)}};
    const bool full = d.shape.full_containers || d.random.once_in(16);
    if (full || d.random.once_in(4)) out["args"] = arguments(d, name, full);
    if (serves && (full || d.random.once_in(2)))
        out["ports"] =
            json::array{{{"name", "http"}, {"containerPort", d.random.between(8000, 9999)}, {"protocol", "TCP"}}};
    if (json::array env = environment(d); !env.empty()) out["env"] = std::move(env);
    out["resources"] = full || d.random.once_in(2) ? resources(d) : json::object();
    json::array mounts;
    for (unsigned i = 0; i < d.config_volumes; ++i)
        mounts.push_back({{"name", config_volume(d, i).at("name")},
                          {"readOnly", true},
                          {"mountPath", "/etc/" + name + "/" + std::to_string(i)}});
    if (!mounts.empty()) out["volumeMounts"] = std::move(mounts);
    if (serves) {
        if (full) out["livenessProbe"] = probe("/healthz", 10);
        if (full || d.random.once_in(8)) out["readinessProbe"] = probe("/readyz", 5);
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

json::object toleration(std::string_view what)
{
    return {{"key", "node.kubernetes.io/" + std::string(what)},
            {"operator", "Exists"},
            {"effect", "NoExecute"},
            {"tolerationSeconds", 300}};
}

json::object token_volume(std::string_view name)
{
    const json::object field{{"apiVersion", "v1"}, {"fieldPath", "metadata.namespace"}};
    return {{"name", name},
            {"projected",
             {{"sources",
               json::array{
                   {{"serviceAccountToken", {{"expirationSeconds", 3607}, {"path", "token"}}}},
                   {{"configMap",
                     {{"name", "kube-root-ca.crt"}, {"items", json::array{{{"key", "ca.crt"}, {"path", "ca.crt"}}}}}}},
                   {{"downwardAPI", {{"items", json::array{{{"path", "namespace"}, {"fieldRef", field}}}}}}}}},
              {"defaultMode", 420}}}};
}

/// Inserts the mount behind the container's own, where a server writes mounts.
void add_token_mount(json::object& container, std::string_view token)
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

} // namespace

json::object written_spec(pod_draft& d)
{
    json::object out;
    json::array volumes;
    for (unsigned i = 0; i < d.config_volumes; ++i) volumes.push_back(config_volume(d, i));
    if (!volumes.empty()) out["volumes"] = std::move(volumes);
    json::array containers;
    for (unsigned i = 0; i < d.init_containers; ++i)
        containers.push_back(container(d, "init-" + std::to_string(i), false));
    if (d.init_containers > 0) out["initContainers"] = std::move(containers);
    containers = {};
    for (unsigned i = 0; i < d.containers; ++i) containers.push_back(container(d, d.container_name(i), true));
    out["containers"] = std::move(containers);
    out["restartPolicy"] = "Always";
    out["terminationGracePeriodSeconds"] = d.random.once_in(3) ? 60 : 30;
    out["dnsPolicy"] = "ClusterFirst";
    const std::string account = d.random.once_in(2) ? "default" : d.work.app;
    out["serviceAccountName"] = account;
    out["serviceAccount"] = account;
    out["securityContext"] = d.shape.full_containers
                                 ? json::object{{"runAsUser", 1000}, {"runAsNonRoot", true}, {"fsGroup", 2000}}
                                 : json::object{};
    out["schedulerName"] = "default-scheduler";
    out["enableServiceLinks"] = true;
    return out;
}

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

} // namespace kubecoro::bench
