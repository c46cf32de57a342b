// PersistentVolumes and PersistentVolumeClaims.
#include "typed_family.hpp"
#include "writers.hpp"

#include <kubecoro/core_v1/persistent_volume.hpp>
#include <kubecoro/core_v1/persistent_volume_claim.hpp>

#include <array>

namespace kubecoro::cluster_metrics {
namespace {

using claim = core_v1::persistent_volume_claim;
using volume = core_v1::persistent_volume;
using claim_spec = view<core_v1::persistent_volume_claim_spec>;
using volume_spec = view<core_v1::persistent_volume_spec>;

constexpr std::string_view class_annotation = "volume.beta.kubernetes.io/storage-class";

void claim_ref(volume_spec spec, series_sink& out)
{
    if (const auto ref = spec.claimRef()) out.add({{"name", ref.name()}, {"claim_namespace", ref.namespace_()}}, 1);
}

void volume_phase(view<core_v1::persistent_volume_status> status, series_sink& out)
{
    const auto now = status.phase();
    if (!now.empty()) one_of(now, "phase", {"Pending", "Available", "Bound", "Released", "Failed"}, out);
}

std::string joined(list_view<std::string_view> texts)
{
    std::string out;
    for (const auto t : texts) {
        if (!out.empty()) out += ',';
        out += t;
    }
    return out;
}

/// An empty text unless there is a number.
std::string digits(std::optional<std::int32_t> number) { return number ? std::to_string(*number) : ""; }

void volume_info(volume_spec spec, series_sink& out)
{
    const auto fc = spec.fc();
    const auto iscsi = spec.iscsi();
    const auto wwids = joined(fc.wwids());
    const auto wwns = joined(fc.targetWWNs());
    const auto fc_lun = digits(fc.lun());
    const auto iscsi_lun = iscsi ? std::to_string(iscsi.lun()) : "";
    out.add({{"storageclass", spec.storageClassName()},
             {"gce_persistent_disk_name", spec.gcePersistentDisk().pdName()},
             {"ebs_volume_id", spec.awsElasticBlockStore().volumeID()},
             {"azure_disk_name", spec.azureDisk().diskName()},
             {"fc_wwids", wwids},
             {"fc_lun", fc_lun},
             {"fc_target_wwns", wwns},
             {"iscsi_target_portal", iscsi.targetPortal()},
             {"iscsi_iqn", iscsi.iqn()},
             {"iscsi_lun", iscsi_lun},
             {"iscsi_initiator_name", iscsi.initiatorName().value_or("")},
             {"nfs_server", spec.nfs().server()},
             {"nfs_path", spec.nfs().path()},
             {"csi_driver", spec.csi().driver()},
             {"csi_volume_handle", spec.csi().volumeHandle()},
             {"local_path", spec.local().path()},
             {"local_fs", spec.local().fsType().value_or("")},
             {"host_path", spec.hostPath().path()},
             {"host_path_type", spec.hostPath().type().value_or("")}},
            1);
}

void volume_capacity(volume_spec spec, series_sink& out)
{
    out.add(whole_amount(spec.capacity()["storage"]).value_or(0));
}

void volume_mode(volume_spec spec, series_sink& out)
{
    out.add({{"volumemode", spec.volumeMode().value_or("Filesystem")}}, 1);
}

void claim_info(view<claim> c, const subject& s, series_sink& out)
{
    const auto spec = c.spec();
    // The annotation is older, and counts first.
    const map_view<std::string_view> annotations(s.o.annotations());
    out.add({{"storageclass", annotations.contains(class_annotation) ? annotations[class_annotation]
                                                                     : spec.storageClassName().value_or("")},
             {"volumename", spec.volumeName()},
             {"volumemode", spec.volumeMode().value_or("")}},
            1);
}

void claim_phase(view<core_v1::persistent_volume_claim_status> status, series_sink& out)
{
    const auto now = status.phase();
    if (!now.empty()) one_of(now, "phase", {"Lost", "Bound", "Pending"}, out);
}

void requested(claim_spec spec, series_sink& out)
{
    if (const auto amount = whole_amount(spec.resources().requests()["storage"])) out.add(*amount);
}

void access_modes(claim_spec spec, series_sink& out)
{
    for (const auto mode : spec.accessModes()) out.add({{"access_mode", mode}}, 1);
}

constexpr std::array volume_families{
    series_of<spec_of<volume>, claim_ref>("kube_persistentvolume_claim_ref",
                                          "[STABLE] Information about the Persistent Volume Claim Reference."),
    family{"kube_persistentvolume_labels", "[STABLE] Kubernetes labels converted to Prometheus labels.", shown_labels},
    series_of<status_of<volume>, volume_phase>(
        "kube_persistentvolume_status_phase",
        "[STABLE] The phase indicates if a volume is available, bound to a claim, or released by a claim."),
    series_of<spec_of<volume>, volume_info>("kube_persistentvolume_info",
                                            "[STABLE] Information about persistentvolume."),
    series_of<spec_of<volume>, volume_capacity>("kube_persistentvolume_capacity_bytes",
                                                "[STABLE] Persistentvolume capacity in bytes."),
    value_of<metadata_of<volume>, [](auto part) { return part.creationTimestamp(); }>("kube_persistentvolume_created",
                                                                                      "Unix creation timestamp"),
    value_of<metadata_of<volume>, [](auto part) { return part.deletionTimestamp(); }>(
        "kube_persistentvolume_deletion_timestamp", "Unix deletion timestamp"),
    series_of<spec_of<volume>, volume_mode>("kube_persistentvolume_volume_mode",
                                            "Volume Mode information for the PersistentVolume."),
};

constexpr std::array claim_families{
    family{"kube_persistentvolumeclaim_labels", "[STABLE] Kubernetes labels converted to Prometheus labels.",
           shown_labels},
    series_of<whole<claim>, claim_info>("kube_persistentvolumeclaim_info",
                                        "[STABLE] Information about persistent volume claim."),
    series_of<status_of<claim>, claim_phase>("kube_persistentvolumeclaim_status_phase",
                                             "[STABLE] The phase the persistent volume claim is currently in."),
    series_of<spec_of<claim>, requested>("kube_persistentvolumeclaim_resource_requests_storage_bytes",
                                         "[STABLE] The capacity of storage requested by the persistent volume claim."),
    series_of<spec_of<claim>, access_modes>("kube_persistentvolumeclaim_access_mode",
                                            "[STABLE] The access mode(s) specified by the persistent volume claim."),
    series_of<conditions_of<claim>, conditions>(
        "kube_persistentvolumeclaim_status_condition",
        "Information about status of different conditions of persistent volume claim."),
    value_of<metadata_of<claim>, [](auto part) { return part.creationTimestamp(); }>(
        "kube_persistentvolumeclaim_created", "Unix creation timestamp"),
    value_of<metadata_of<claim>, [](auto part) { return part.deletionTimestamp(); }>(
        "kube_persistentvolumeclaim_deletion_timestamp", "Unix deletion timestamp"),
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
