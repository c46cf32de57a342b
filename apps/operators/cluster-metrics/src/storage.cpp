// PersistentVolumes and PersistentVolumeClaims.
#include "writers.hpp"

#include <array>

namespace kubecoro::cluster_metrics {
namespace {

constexpr std::string_view created = "metadata.creationTimestamp";
constexpr std::string_view deleted = "metadata.deletionTimestamp";
constexpr std::string_view class_annotation = "volume.beta.kubernetes.io/storage-class";

void claim_ref(const subject& s, series_sink& out)
{
    const auto claim = s.field;
    if (claim.is_object())
        out.add({{"name", claim["name"].as_string()}, {"claim_namespace", claim["namespace"].as_string()}}, 1);
}

void volume_phase(const subject& s, series_sink& out)
{
    const auto now = s.field.as_string();
    if (!now.empty()) one_of(now, "phase", {"Pending", "Available", "Bound", "Released", "Failed"}, out);
}

std::string joined(value_view texts)
{
    std::string out;
    for (const auto t : texts.items()) {
        if (!out.empty()) out += ',';
        out += t.as_string();
    }
    return out;
}

/// An empty text unless there is a number.
std::string digits(value_view at) { return at.kind() == value_kind::integer ? std::to_string(at.as_int64()) : ""; }

void volume_info(const subject& s, series_sink& out)
{
    const auto spec = s.o["spec"];
    const auto fc = spec["fc"];
    const auto iscsi = spec["iscsi"];
    const auto wwids = joined(fc["wwids"]);
    const auto wwns = joined(fc["targetWWNs"]);
    const auto fc_lun = digits(fc["lun"]);
    const auto iscsi_lun = iscsi.is_object() ? std::to_string(iscsi["lun"].as_int64()) : "";
    out.add({{"storageclass", spec["storageClassName"].as_string()},
             {"gce_persistent_disk_name", spec["gcePersistentDisk"]["pdName"].as_string()},
             {"ebs_volume_id", spec["awsElasticBlockStore"]["volumeID"].as_string()},
             {"azure_disk_name", spec["azureDisk"]["diskName"].as_string()},
             {"fc_wwids", wwids},
             {"fc_lun", fc_lun},
             {"fc_target_wwns", wwns},
             {"iscsi_target_portal", iscsi["targetPortal"].as_string()},
             {"iscsi_iqn", iscsi["iqn"].as_string()},
             {"iscsi_lun", iscsi_lun},
             {"iscsi_initiator_name", iscsi["initiatorName"].as_string()},
             {"nfs_server", spec["nfs"]["server"].as_string()},
             {"nfs_path", spec["nfs"]["path"].as_string()},
             {"csi_driver", spec["csi"]["driver"].as_string()},
             {"csi_volume_handle", spec["csi"]["volumeHandle"].as_string()},
             {"local_path", spec["local"]["path"].as_string()},
             {"local_fs", spec["local"]["fsType"].as_string()},
             {"host_path", spec["hostPath"]["path"].as_string()},
             {"host_path_type", spec["hostPath"]["type"].as_string()}},
            1);
}

void capacity(const subject& s, series_sink& out) { out.add(whole_amount(s.field).value_or(0)); }

void volume_mode(const subject& s, series_sink& out) { out.add({{"volumemode", s.field.as_string("Filesystem")}}, 1); }

void claim_info(const subject& s, series_sink& out)
{
    const auto spec = s.o["spec"];
    // The annotation is older, and counts first.
    const auto old = s.o.annotations()[class_annotation];
    out.add({{"storageclass", old ? old.as_string() : spec["storageClassName"].as_string()},
             {"volumename", spec["volumeName"].as_string()},
             {"volumemode", spec["volumeMode"].as_string()}},
            1);
}

void claim_phase(const subject& s, series_sink& out)
{
    const auto now = s.field.as_string();
    if (!now.empty()) one_of(now, "phase", {"Lost", "Bound", "Pending"}, out);
}

void requested(const subject& s, series_sink& out)
{
    if (const auto amount = whole_amount(s.field)) out.add(*amount);
}

void access_modes(const subject& s, series_sink& out)
{
    for (const auto mode : s.field.items()) out.add({{"access_mode", mode.as_string()}}, 1);
}

constexpr std::array volume_families{
    family{"kube_persistentvolume_claim_ref", "[STABLE] Information about the Persistent Volume Claim Reference.",
           claim_ref, "spec.claimRef"},
    family{"kube_persistentvolume_labels", "[STABLE] Kubernetes labels converted to Prometheus labels.", shown_labels},
    family{"kube_persistentvolume_status_phase",
           "[STABLE] The phase indicates if a volume is available, bound to a claim, or released by a claim.",
           volume_phase, "status.phase"},
    family{"kube_persistentvolume_info", "[STABLE] Information about persistentvolume.", volume_info},
    family{"kube_persistentvolume_capacity_bytes", "[STABLE] Persistentvolume capacity in bytes.", capacity,
           "spec.capacity.storage"},
    family{"kube_persistentvolume_created", "Unix creation timestamp", time_if_present, created},
    family{"kube_persistentvolume_deletion_timestamp", "Unix deletion timestamp", time_if_present, deleted},
    family{"kube_persistentvolume_volume_mode", "Volume Mode information for the PersistentVolume.", volume_mode,
           "spec.volumeMode"},
};

constexpr std::array claim_families{
    family{"kube_persistentvolumeclaim_labels", "[STABLE] Kubernetes labels converted to Prometheus labels.",
           shown_labels},
    family{"kube_persistentvolumeclaim_info", "[STABLE] Information about persistent volume claim.", claim_info},
    family{"kube_persistentvolumeclaim_status_phase", "[STABLE] The phase the persistent volume claim is currently in.",
           claim_phase, "status.phase"},
    family{"kube_persistentvolumeclaim_resource_requests_storage_bytes",
           "[STABLE] The capacity of storage requested by the persistent volume claim.", requested,
           "spec.resources.requests.storage"},
    family{"kube_persistentvolumeclaim_access_mode",
           "[STABLE] The access mode(s) specified by the persistent volume claim.", access_modes, "spec.accessModes"},
    family{"kube_persistentvolumeclaim_status_condition",
           "Information about status of different conditions of persistent volume claim.", conditions,
           "status.conditions"},
    family{"kube_persistentvolumeclaim_created", "Unix creation timestamp", time_if_present, created},
    family{"kube_persistentvolumeclaim_deletion_timestamp", "Unix deletion timestamp", time_if_present, deleted},
};

} // namespace

series_kind persistent_volumes()
{
    series_kind out{{"", "v1", "persistentvolumes", "PersistentVolume", false},
                    {.name = "persistentvolume", .has_namespace = false},
                    volume_families};
    out.keep = {"metadata.creationTimestamp", "metadata.deletionTimestamp", "spec", "status.phase"};
    return out;
}

series_kind persistent_volume_claims()
{
    series_kind out{{"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim"},
                    {.name = "persistentvolumeclaim"},
                    claim_families};
    out.keep = {"metadata.creationTimestamp",
                "metadata.deletionTimestamp",
                "metadata.annotations[\"" + std::string(class_annotation) + "\"]",
                "spec.storageClassName",
                "spec.volumeName",
                "spec.volumeMode",
                "spec.accessModes",
                "spec.resources.requests",
                "status.phase",
                "status.conditions.*.type",
                "status.conditions.*.status"};
    return out;
}

} // namespace kubecoro::cluster_metrics
