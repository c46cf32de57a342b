// Validates the specification of pods: their volumes, containers and names.
#include "schema/pod_validation.hpp"

#include "objects/status_errors.hpp"
#include "schema/name_validation.hpp"
#include "text/json_text.hpp"

#include <kubecoro/api/detail/label_rules.hpp>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <set>
#include <utility>

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

/// Checks names and sources. @return the names. @param spec  Must outlive them.
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

/// Checks that each mount of a container is of a volume, and at a path of its own.
/// @param volumes  Null: which volumes there are is not known.
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

using errors::enough;
using errors::forbidden_field;
using errors::invalid_value;
using errors::required;

/// Checks a text that is one of some. Absent is right.
void check_choice(const json::value& owner, std::string_view member, std::initializer_list<std::string_view> choices,
                  std::string_view supported, const std::string& path, std::vector<status_cause>& causes)
{
    const auto text = text_at(owner, member);
    if (!text.empty() && std::find(choices.begin(), choices.end(), text) == choices.end())
        causes.push_back(errors::not_supported(path + "." + std::string(member), quote(text), supported));
}

void check_label(std::string_view text, const std::string& field, std::vector<status_cause>& causes)
{
    constexpr std::size_t longest = 63;
    if (text.size() > longest)
        causes.push_back(invalid_value(field, quote(text), "must be no more than 63 characters"));
    if (!is_label(text)) causes.push_back(invalid_value(field, quote(text), label_rule));
}

/// Whether Go reads the member as one that is not set: an empty probe is set.
bool is_unset(std::string_view member, const json::value& v)
{
    const auto* object = v.if_object();
    return v.is_null() || (member == "resources" && object && object->empty());
}

/// Ephemeral containers only help with debugging a pod.
void check_ephemeral_container(const json::value& container, const std::string& path, std::vector<status_cause>& causes)
{
    for (const std::string_view member : {"ports", "resources", "resizePolicy", "restartPolicy", "restartPolicyRules",
                                          "livenessProbe", "readinessProbe", "startupProbe", "lifecycle"})
        if (const auto* value = find_at(container, member); value && !is_unset(member, *value))
            causes.push_back(
                forbidden_field(path + "." + std::string(member), "cannot be set for an Ephemeral Container"));
}

void check_image(const json::value& container, const std::string& path, std::vector<status_cause>& causes)
{
    constexpr std::string_view space = " \t\r\n\v\f";
    const auto image = text_at(container, "image");
    if (image.empty())
        causes.push_back(required(path + ".image"));
    else if (space.find(image.front()) != space.npos || space.find(image.back()) != space.npos)
        causes.push_back(invalid_value(path + ".image", quote(image), "must not have leading or trailing whitespace"));
}

/// Checks the containers of a pod one by one, and that their names and host ports differ.
class container_check
{
public:
    /// @param volumes  Null: mounts are not checked.
    container_check(const std::set<std::string_view>* volumes, std::vector<status_cause>& causes)
        : volumes_(volumes), causes_(causes)
    {
    }

    void check(const json::value& container, std::string_view list, const std::string& at)
    {
        const auto name = text_at(container, "name");
        if (name.empty())
            causes_.push_back(required(at + ".name"));
        else
            check_label(name, at + ".name", causes_);
        check_image(container, at, causes_);
        check_choice(container, "imagePullPolicy", {"Always", "IfNotPresent", "Never"},
                     R"("Always", "IfNotPresent", "Never")", at, causes_);
        check_choice(container, "terminationMessagePolicy", {"File", "FallbackToLogsOnError"},
                     R"("File", "FallbackToLogsOnError")", at, causes_);
        validate_env(container, at, causes_);
        validate_mounts(container, volumes_, at, causes_);
        if (list == "ephemeralContainers")
            check_ephemeral_container(container, at, causes_);
        else
            check_lasting(container, list == "initContainers", at);
        if (!name.empty() && !names_.insert(name).second)
            causes_.push_back(errors::duplicate(at + ".name", quote(name)));
    }

private:
    void check_lasting(const json::value& container, bool initial, const std::string& at)
    {
        check_choice(container, "restartPolicy", {"Always", "Never", "OnFailure"}, R"("Always", "Never", "OnFailure")",
                     at, causes_);
        validate_ports(container, at, causes_);
        if (!initial) check_host_ports(container, at);
        validate_resources(container, at, causes_);
        validate_probes(container, initial && text_at(container, "restartPolicy") != "Always", at, causes_);
    }

    void check_host_ports(const json::value& container, const std::string& at)
    {
        const auto* ports = array_at(container, "ports");
        for (std::size_t i = 0; ports && i < ports->size() && !enough(causes_); ++i) {
            const auto number = int_at((*ports)[i], "hostPort");
            if (number == 0) continue;
            const auto shown = std::string(text_at((*ports)[i], "protocol")) + "/" +
                               std::string(text_at((*ports)[i], "hostIP")) + "/" + std::to_string(number);
            if (!host_ports_.insert(shown).second)
                causes_.push_back(errors::duplicate(at + ".ports[" + std::to_string(i) + "].hostPort", quote(shown)));
        }
    }

    const std::set<std::string_view>* volumes_;
    std::vector<status_cause>& causes_;
    std::set<std::string_view> names_;
    std::set<std::string> host_ports_;
};

void check_toleration(const json::value& toleration, const std::string& path, std::vector<status_cause>& causes)
{
    const auto key = text_at(toleration, "key"), operation = text_at(toleration, "operator"),
               value = text_at(toleration, "value"), effect = text_at(toleration, "effect");
    const auto field = path + ".operator";
    if (!key.empty())
        for (const auto& why : detail::label_key_problems(key))
            causes.push_back(invalid_value(path + ".key", quote(key), why));
    if (key.empty() && operation != "Exists")
        causes.push_back(invalid_value(field, quote(operation),
                                       "operator must be Exists when `key` is empty, which means "
                                       "\"match all values and all keys\""));
    if (find_at(toleration, "tolerationSeconds") && effect != "NoExecute")
        causes.push_back(invalid_value(path + ".effect", quote(effect),
                                       "effect must be 'NoExecute' when `tolerationSeconds` is set"));
    if (operation == "Exists") {
        if (!value.empty())
            causes.push_back(invalid_value(field, quote(value), "value must be empty when `operator` is 'Exists'"));
    } else if (operation.empty() || operation == "Equal") {
        for (const auto& why : detail::label_value_problems(value))
            causes.push_back(invalid_value(field, quote(value), why));
    } else {
        causes.push_back(errors::not_supported(field, quote(operation), R"("Equal", "Exists")"));
    }
    check_choice(toleration, "effect", {"NoSchedule", "PreferNoSchedule", "NoExecute"},
                 R"("NoSchedule", "PreferNoSchedule", "NoExecute")", path, causes);
}

void check_unique_names(const json::value& spec, const std::string& path, std::vector<status_cause>& causes)
{
    for (const std::string_view member : {"serviceAccountName", "nodeName", "priorityClassName"})
        if (const auto text = text_at(spec, member); !text.empty() && !is_subdomain(text))
            causes.push_back(invalid_value(path + "." + std::string(member), quote(text), subdomain_rule));
    for (const std::string_view member : {"hostname", "subdomain"}) {
        const auto text = text_at(spec, member);
        const auto field = path + "." + std::string(member);
        if (text.find('.') != text.npos)
            causes.push_back(invalid_value(field, quote(text), "must not contain dots"));
        else if (!text.empty())
            check_label(text, field, causes);
    }
}

} // namespace

void validate_pod_spec(const json::value& spec, const std::string& path, bool mounts, std::vector<status_cause>& causes)
{
    if (const auto* regular = array_at(spec, "containers"); !regular || regular->empty())
        causes.push_back(required(path + ".containers"));
    const auto volumes = validate_volumes(spec, path, causes);
    container_check check(mounts ? &volumes : nullptr, causes);
    for (const std::string_view list : {"containers", "initContainers", "ephemeralContainers"}) {
        const auto* containers = array_at(spec, list);
        for (std::size_t i = 0; containers && i < containers->size() && !enough(causes); ++i)
            check.check((*containers)[i], list, path + "." + std::string(list) + "[" + std::to_string(i) + "]");
    }
    check_choice(spec, "dnsPolicy", {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"},
                 R"("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")", path, causes);
    if (text_at(spec, "dnsPolicy") == "None" && !object_at(spec, "dnsConfig"))
        causes.push_back(required(path + ".dnsConfig", "must provide `dnsConfig` when `dnsPolicy` is None"));
    check_unique_names(spec, path, causes);
    if (const auto* selector = object_at(spec, "nodeSelector"))
        validate_labels(*selector, path + ".nodeSelector", causes);
    if (const auto* seconds = find_at(spec, "activeDeadlineSeconds"); seconds && seconds->is_int64())
        if (const auto n = seconds->get_int64(); n < 1 || n > std::numeric_limits<std::int32_t>::max())
            causes.push_back(invalid_value(path + ".activeDeadlineSeconds", std::to_string(n),
                                           "must be between 1 and 2147483647, inclusive"));
    const auto* tolerations = array_at(spec, "tolerations");
    for (std::size_t i = 0; tolerations && i < tolerations->size() && !enough(causes); ++i)
        check_toleration((*tolerations)[i], path + ".tolerations[" + std::to_string(i) + "]", causes);
}

void validate_pod(const json::value& body, std::vector<status_cause>& causes)
{
    static const json::value none;
    const auto* found = find_at(body, "spec");
    const auto& spec = found ? *found : none;
    validate_pod_spec(spec, "spec", true, causes);
    check_choice(spec, "restartPolicy", {"Always", "OnFailure", "Never"}, R"("Always", "OnFailure", "Never")", "spec",
                 causes);
}

} // namespace kubecoro::apiserver
