#include "schema/volume_validation.hpp"

#include "objects/names.hpp"
#include "objects/status_errors.hpp"
#include "text/json_text.hpp"

#include <algorithm>

namespace kubecoro::apiserver {
namespace {

using errors::enough;
using errors::invalid_value;
using errors::required;

bool leads_up(std::string_view path)
{
    for (auto rest = path; !rest.empty();) {
        const auto step = rest.substr(0, rest.find('/'));
        rest.remove_prefix(std::min(rest.size(), step.size() + 1));
        if (step == "..") return true;
    }
    return false;
}

/// Checks a path that must stay inside of something.
void check_inner_path(std::string_view path, const std::string& field, std::vector<status_cause>& causes)
{
    if (path.starts_with('/')) causes.push_back(invalid_value(field, quote(path), "must be a relative path"));
    if (leads_up(path)) causes.push_back(invalid_value(field, quote(path), "must not contain '..'"));
}

void check_mode(const json::value& owner, std::string_view member, const std::string& path,
                std::vector<status_cause>& causes)
{
    constexpr std::int64_t most = 0777;
    const auto mode = int_at(owner, member);
    if (mode < 0 || mode > most)
        causes.push_back(invalid_value(path + "." + std::string(member), std::to_string(mode),
                                       "must be a number between 0 and 0777 (octal), both inclusive"));
}

/// Checks the keys of a Secret or ConfigMap that become files.
void check_files(const json::value& source, const std::string& path, std::vector<status_cause>& causes)
{
    check_mode(source, "defaultMode", path, causes);
    const auto* items = array_at(source, "items");
    for (std::size_t i = 0; items && i < items->size() && !enough(causes); ++i) {
        const auto at = path + ".items[" + std::to_string(i) + "]";
        const auto file = text_at((*items)[i], "path");
        if (text_at((*items)[i], "key").empty()) causes.push_back(required(at + ".key"));
        if (file.empty())
            causes.push_back(required(at + ".path"));
        else
            check_inner_path(file, at + ".path", causes);
        check_mode((*items)[i], "mode", at, causes);
    }
}

struct source_member
{
    std::string_view source;
    std::string_view member;
};

constexpr source_member needed_of_source[] = {
    {"secret", "secretName"},
    {"configMap", "name"},
    {"persistentVolumeClaim", "claimName"},
    {"hostPath", "path"},
    {"nfs", "server"},
    {"nfs", "path"},
    {"csi", "driver"},
    {"iscsi", "targetPortal"},
    {"glusterfs", "endpoints"},
    {"gcePersistentDisk", "pdName"},
    {"cinder", "volumeID"},
    {"azureDisk", "diskName"},
    {"azureFile", "secretName"},
    {"azureFile", "shareName"},
    {"flexVolume", "driver"},
    {"awsElasticBlockStore", "volumeID"},
};

void check_source(std::string_view name, const json::value& source, const std::string& path,
                  std::vector<status_cause>& causes)
{
    for (const auto& each : needed_of_source)
        if (each.source == name && text_at(source, each.member).empty())
            causes.push_back(required(path + "." + std::string(each.member)));
    const auto stated = text_at(source, "path");
    if (name == "nfs" && !stated.starts_with('/'))
        causes.push_back(invalid_value(path + ".path", quote(stated), "must be an absolute path"));
    if (name == "hostPath" && leads_up(stated))
        causes.push_back(invalid_value(path + ".path", quote(stated), "must not contain '..'"));
    if (name == "secret" || name == "configMap") check_files(source, path, causes);
}

} // namespace

std::set<std::string_view> validate_volumes(const json::value& spec, const std::string& path,
                                            std::vector<status_cause>& causes)
{
    std::set<std::string_view> names;
    const auto* volumes = array_at(spec, "volumes");
    for (std::size_t i = 0; volumes && i < volumes->size(); ++i) {
        const auto& volume = (*volumes)[i];
        const auto at = path + ".volumes[" + std::to_string(i) + "]";
        const auto name = text_at(volume, "name");
        const bool known = !names.insert(name).second;
        if (enough(causes)) continue;
        if (name.empty())
            causes.push_back(required(at + ".name"));
        else if (!is_label(name))
            causes.push_back(invalid_value(at + ".name", quote(name), label_rule));
        else if (known)
            causes.push_back(errors::duplicate(at + ".name", quote(name)));
        bool has_source = false;
        for (const auto& [member, source] : volume.as_object()) {
            if (!source.is_object()) continue;
            const auto field = at + "." + std::string(member);
            if (has_source)
                causes.push_back(errors::forbidden_field(field, "may not specify more than 1 volume type"));
            else
                check_source(member, source, field, causes);
            has_source = true;
        }
    }
    return names;
}

void validate_mounts(const json::value& container, const std::set<std::string_view>* volumes, const std::string& path,
                     std::vector<status_cause>& causes)
{
    const auto* mounts = array_at(container, "volumeMounts");
    std::set<std::string_view> paths;
    for (std::size_t i = 0; mounts && i < mounts->size() && !enough(causes); ++i) {
        const auto& mount = (*mounts)[i];
        const auto list = path + ".volumeMounts";
        const auto at = list + "[" + std::to_string(i) + "]";
        const auto name = text_at(mount, "name");
        const auto mount_path = text_at(mount, "mountPath");
        const auto inner = text_at(mount, "subPath"), expression = text_at(mount, "subPathExpr");
        if (name.empty()) causes.push_back(required(at + ".name"));
        if (volumes && !volumes->contains(name)) causes.push_back(errors::absent_value(at + ".name", quote(name)));
        if (mount_path.empty()) causes.push_back(required(at + ".mountPath"));
        if (!paths.insert(mount_path).second)
            causes.push_back(invalid_value(at + ".mountPath", quote(mount_path), "must be unique"));
        check_inner_path(inner, list + ".subPath", causes); // without its index, as a kube-apiserver says it
        if (!inner.empty() && !expression.empty())
            causes.push_back(invalid_value(at + ".subPathExpr", quote(expression),
                                           "subPathExpr and subPath are mutually exclusive"));
    }
}

} // namespace kubecoro::apiserver
