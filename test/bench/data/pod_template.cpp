#include "pod_draft.hpp"

#include "fields_v1.hpp"

#include <boost/json/serialize.hpp>

#include <map>
#include <vector>

namespace json = boost::json;

namespace kubecoro::bench {
namespace {

constexpr std::array<std::string_view, 10> sidecars{"envoy",        "fluent-bit",     "statsd",         "vault-agent",
                                                    "oauth2-proxy", "otel-collector", "cloudsql-proxy", "reloader",
                                                    "nginx",        "pgbouncer"};
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

/// The names of the placeholders, in the order of pod_slot.
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

json::object written_metadata(pod_draft& d)
{
    std::map<std::string, std::string> labels{{"app", d.work.app}, {"pod-template-hash", d.work.hash}};
    if (d.random.once_in(2)) labels["team"] = d.work.team;
    if (d.random.once_in(4)) labels["app.kubernetes.io/instance"] = d.work.app + "-" + d.work.name_space;
    if (d.random.once_in(4)) labels["app.kubernetes.io/version"] = d.work.image.substr(d.work.image.rfind(':') + 1);
    std::map<std::string, std::string> annotations{{std::string(stamp_annotation), std::string(no_stamp)}};
    if (d.random.once_in(4)) {
        annotations["prometheus.io/port"] = "9090";
        annotations["prometheus.io/scrape"] = "true";
    }
    for (unsigned n = d.draw(d.shape.annotations); annotations.size() < n;)
        annotations[std::string(d.random.pick(notes))] = d.text(64);
    return {{"generateName", d.work.app + "-" + d.work.hash + "-"},
            {"labels", sorted(labels)},
            {"annotations", sorted(annotations)},
            {"ownerReferences", json::array{{{"apiVersion", "apps/v1"},
                                             {"kind", "ReplicaSet"},
                                             {"name", d.work.app + "-" + d.work.hash},
                                             {"uid", d.work.replica_set_uid},
                                             {"controller", true},
                                             {"blockOwnerDeletion", true}}}}};
}

json::object complete_metadata(const pod_draft& d, json::object written)
{
    json::object out{{"name", place("name")},
                     {"generateName", written["generateName"]},
                     {"namespace", d.work.name_space},
                     {"uid", place("uid")},
                     {"resourceVersion", place("version")},
                     {"generation", 1},
                     {"creationTimestamp", place("created")}};
    for (const std::string_view key : {"labels", "annotations", "ownerReferences", "managedFields"})
        out[key] = std::move(written[key]);
    return out;
}

json::object managed_entry(std::string_view manager, std::string_view time, const json::object& written,
                           std::string_view subresource)
{
    json::object out{{"manager", manager}, {"operation", "Update"},    {"apiVersion", "v1"},
                     {"time", time},       {"fieldsType", "FieldsV1"}, {"fieldsV1", fields_v1(written)}};
    if (!subresource.empty()) out["subresource"] = subresource;
    return out;
}

json::object pod(pod_draft d)
{
    json::object spec = written_spec(d);
    json::object metadata = written_metadata(d);
    const json::object status = written_status(d);
    json::array managed{
        managed_entry("kube-controller-manager", "@{created}", {{"metadata", metadata}, {"spec", spec}}, {}),
        managed_entry("kubelet", "@{reported_at}", {{"status", status}}, "status")};
    metadata["managedFields"] = std::move(managed);
    return {{"kind", "Pod"},
            {"apiVersion", "v1"},
            {"metadata", complete_metadata(d, std::move(metadata))},
            {"spec", admitted_spec(std::move(spec))},
            {"status", complete_status(d, status)}};
}

} // namespace

std::string place(std::string_view name) { return "@{" + std::string(name) + '}'; }
std::string place(std::string_view name, std::size_t k) { return "@{" + std::string(name) + std::to_string(k) + '}'; }

pod_draft::pod_draft(const workload& of, const pod_shape& like, seeded source)
    : work(of),
      shape(like),
      random(source),
      first_sidecar(random.below(sidecars.size())),
      containers(draw(like.containers)),
      config_volumes(draw(like.config_volumes))
{
    init_containers = draw(like.init_containers);
}

unsigned pod_draft::draw(pod_shape::range r) { return random.between(r.low, r.high); }

std::string pod_draft::text(std::size_t length)
{
    if (shape.own_values && own < max_own_values) return place("own", own++);
    return random.text(length, "abcdefghijklmnopqrstuvwxyz0123456789-._/");
}

std::string pod_draft::container_name(unsigned i) const
{
    return i == 0 ? work.app : std::string(sidecars[(first_sidecar + i) % sidecars.size()]);
}

std::string pod_draft::image_of(const std::string& container) const
{
    return container == work.app ? work.image : "registry.example.com/infra/" + container + ":2.4.1";
}

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
    return {json::serialize(pod(pod_draft(work, shape, random))), slot_names()};
}

} // namespace kubecoro::bench
