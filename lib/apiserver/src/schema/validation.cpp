#include "schema/validation.hpp"

#include "objects/finalizers.hpp"
#include "objects/status_errors.hpp"
#include "objects/stored_object.hpp"
#include "schema/crd_validation.hpp"
#include "schema/kind_validation.hpp"
#include "schema/name_validation.hpp"
#include "schema/pod_validation.hpp"
#include "schema/service_spec.hpp"
#include "text/base64.hpp"
#include "text/json_text.hpp"

#include <kubecoro/api/detail/go_format.hpp>
#include <kubecoro/api/detail/label_rules.hpp>
#include <kubecoro/api/detail/protobuf_form.hpp>
#include <kubecoro/api/detail/strict_decoding.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace kubecoro::apiserver {
namespace {

using errors::enough;
using errors::invalid_value;

/// @param key  As it is checked; `shown` is the text that it stands for.
void check_key(const std::string& field, std::string_view key, std::string_view shown,
               std::vector<status_cause>& causes)
{
    for (const auto& why : detail::label_key_problems(key)) causes.push_back(invalid_value(field, quote(shown), why));
}

void check_annotations(const json::object& annotations, std::vector<status_cause>& causes)
{
    std::size_t total = 0;
    for (const auto& [key, value] : annotations) {
        if (enough(causes)) return;
        // Their case does not matter.
        std::string lower(key);
        for (char& c : lower)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        check_key("metadata.annotations", lower, key, causes);
        total += key.size() + (value.is_string() ? value.get_string().size() : 0);
    }
    if (total > 262'144) causes.push_back(errors::too_long("metadata.annotations", "262144"));
}

/// The groups whose kinds take finalizers that no group owns.
bool takes_any_finalizer(const resource_info& info)
{
    return info.custom || info.group == "apiextensions.k8s.io" || info.group == "apiregistration.k8s.io" ||
           info.group == "admissionregistration.k8s.io" || info.group == "coordination.k8s.io";
}

void check_finalizers(const resource_info& info, const json::array& finalizers, std::vector<status_cause>& causes)
{
    const auto has = [&](std::string_view name) {
        return std::find(finalizers.begin(), finalizers.end(), json::value(name)) != finalizers.end();
    };
    for (const auto& finalizer : finalizers) {
        if (enough(causes)) return;
        if (finalizer.is_string())
            check_key("metadata.finalizers", finalizer.get_string(), finalizer.get_string(), causes);
    }
    if (has(orphan_finalizer) && has(foreground_finalizer))
        causes.push_back(invalid_value("metadata.finalizers", to_text(finalizers),
                                       "finalizer orphan and foregroundDeletion cannot be both set"));
    if (takes_any_finalizer(info)) return;
    for (std::size_t i = 0; i < finalizers.size() && !enough(causes); ++i) {
        const auto* text = finalizers[i].if_string();
        if (!text || is_standard_finalizer(*text) || text->find('/') != std::string_view::npos) continue;
        causes.push_back(invalid_value("metadata.finalizers[" + std::to_string(i) + "]", quote(*text),
                                       "name is neither a standard finalizer name nor is it fully qualified"));
    }
}

/// Owner references as an error shows them: the members that Go knows, in its order.
std::string shown_owners(const json::array& owners)
{
    json::array shown;
    for (const auto& owner : owners) {
        json::object known;
        for (const std::string_view key : {"apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"})
            if (const auto* value = find_at(owner, key)) known.emplace(key, *value);
        shown.push_back(std::move(known));
    }
    return to_text(shown);
}

void check_controllers(const json::array& owners, std::vector<status_cause>& causes)
{
    std::string first;
    for (const auto& owner : owners) {
        const auto* controls = find_at(owner, "controller");
        if (!controls || !controls->is_bool() || !controls->get_bool()) continue;
        const auto name = std::string(text_at(owner, "kind")) + "/" + std::string(text_at(owner, "name"));
        if (first.empty()) {
            first = name;
            continue;
        }
        causes.push_back(invalid_value("metadata.ownerReferences", shown_owners(owners),
                                       "Only one reference can have Controller set to true. Found \"true\" in "
                                       "references for " +
                                           first + " and " + name));
        return; // The references are shown once, however many there are.
    }
}

void check_owners(const json::array& owners, std::vector<status_cause>& causes)
{
    check_controllers(owners, causes);
    for (const auto& owner : owners) {
        if (enough(causes)) return;
        for (const std::string_view field : {"apiVersion", "kind", "name", "uid"})
            if (text_at(owner, field).empty())
                causes.push_back(
                    invalid_value("metadata.ownerReferences." + std::string(field), "\"\"",
                                  field == "apiVersion" ? "version must not be empty" : "must not be empty"));
    }
}

/// The size limit applies to the decoded data, not to its base64 text.
void check_config_data(const resource_info& info, const json::value& body, std::vector<status_cause>& causes)
{
    const bool secret = info.behaves == builtin::secret;
    std::size_t total = 0;
    for (const std::string_view member : {"data", "binaryData"}) {
        const auto* data = object_at(body, member);
        if (!data) continue;
        const auto* other = member == "data" ? object_at(body, "binaryData") : nullptr;
        for (const auto& [key, value] : *data) {
            if (other && other->contains(key))
                causes.push_back(invalid_value("data[" + std::string(key) + "]", quote(key),
                                               "duplicate of key present in binaryData"));
            for (const auto& why : config_key_problems(key))
                causes.push_back(invalid_value(std::string(member) + "[" + std::string(key) + "]", quote(key), why));
            if (enough(causes)) return;
            if (!value.is_string()) continue;
            const std::string_view text = value.get_string();
            total += secret || member == "binaryData" ? decoded_base64_size(text) : text.size();
        }
    }
    if (total > 1'048'576) causes.push_back(errors::too_long(secret ? "data" : "[]", "1048576"));
}

/// The keys that secrets of a type have.
struct secret_rule
{
    std::string_view type;
    std::vector<std::string_view> keys;
    /// One of them suffices.
    bool any = false;
};

void check_secret_type(const json::value& secret, std::vector<status_cause>& causes)
{
    static const secret_rule rules[]{{"kubernetes.io/dockercfg", {".dockercfg"}},
                                     {"kubernetes.io/dockerconfigjson", {".dockerconfigjson"}},
                                     {"kubernetes.io/basic-auth", {"username", "password"}, true},
                                     {"kubernetes.io/ssh-auth", {"ssh-privatekey"}},
                                     {"kubernetes.io/tls", {"tls.crt", "tls.key"}}};
    const auto type = text_at(secret, "type");
    const auto* data = object_at(secret, "data");
    // The key of ssh-auth has a value as well.
    const auto has = [&](std::string_view key) {
        const auto* value = data ? data->if_contains(key) : nullptr;
        return value && (key != "ssh-privatekey" || !scalar_text(*value).empty());
    };
    for (const auto& rule : rules) {
        if (rule.type != type || (rule.any && std::any_of(rule.keys.begin(), rule.keys.end(), has))) continue;
        for (const auto key : rule.keys)
            if (!has(key)) causes.push_back(errors::required("data[" + std::string(key) + "]"));
    }
    constexpr std::string_view account = "kubernetes.io/service-account.name";
    const auto* annotations = object_at(secret, "metadata.annotations");
    const auto* named = annotations ? annotations->if_contains(account) : nullptr;
    if (type == "kubernetes.io/service-account-token" && (!named || scalar_text(*named).empty()))
        causes.push_back(errors::required("metadata.annotations[" + std::string(account) + "]"));
}

void check_schedule(const json::value& cron_job, std::vector<status_cause>& causes)
{
    constexpr std::string_view path = "spec.schedule";
    const auto schedule = text_at(cron_job, path);
    if (schedule.empty())
        causes.push_back(errors::required(std::string(path)));
    else if (const auto problem = cron_schedule_problem(schedule); !problem.empty())
        causes.push_back(invalid_value(std::string(path), quote(schedule), problem));
}

} // namespace

void validate_metadata(const resource_info& info, const json::value& body, std::vector<status_cause>& causes)
{
    validate_name(info, body, causes);
    if (const auto generation = int_at(body, "metadata.generation"); generation < 0)
        causes.push_back(
            invalid_value("metadata.generation", std::to_string(generation), "must be greater than or equal to 0"));
    if (const auto* labels = object_at(body, "metadata.labels")) validate_labels(*labels, "metadata.labels", causes);
    if (const auto* annotations = object_at(body, "metadata.annotations")) check_annotations(*annotations, causes);
    if (const auto* owners = array_at(body, "metadata.ownerReferences")) check_owners(*owners, causes);
    if (const auto* finalizers = array_at(body, "metadata.finalizers")) check_finalizers(info, *finalizers, causes);
}

void validate_kind(const resource_info& info, const json::value* before, const json::value& body,
                   std::vector<status_cause>& causes)
{
    if (info.custom) return;
    const builtin behaves = info.behaves;
    validate_plain_kind(info, body, causes);
    if (behaves == builtin::secret) check_secret_type(body, causes);
    if (behaves == builtin::config_map || behaves == builtin::secret)
        check_config_data(info, body, causes);
    else if (behaves == builtin::pod)
        validate_pod(body, causes);
    else if (selects_pods(info.behaves))
        validate_workload(info, body, causes);
    else if (behaves == builtin::job)
        validate_job(body, "spec", causes);
    else if (behaves == builtin::cron_job) {
        check_schedule(body, causes);
        validate_job(body, "spec.jobTemplate.spec", causes);
    } else if (behaves == builtin::custom_resource_definition)
        validate_crd(body, before, causes);
    else if (behaves == builtin::lease && find_at(body, "spec.leaseDurationSeconds") &&
             int_at(body, "spec.leaseDurationSeconds") <= 0)
        causes.push_back(invalid_value("spec.leaseDurationSeconds",
                                       std::to_string(int_at(body, "spec.leaseDurationSeconds")),
                                       "must be greater than 0"));
    else if (behaves == builtin::event)
        validate_event(info, body, causes);
    else if (behaves == builtin::service)
        validate_service(body, causes);
    else if (behaves == builtin::role)
        validate_role(info, body, causes);
    else if (behaves == builtin::disruption_budget)
        validate_selector(find_at(body, "spec.selector"), "spec.selector", causes);
    else if (behaves == builtin::role_binding)
        validate_role_binding(info, body, causes);
}

void validate_ephemeral_containers(const json::value& before, const json::value& after,
                                   std::vector<status_cause>& causes)
{
    constexpr std::string_view path = "spec.ephemeralContainers";
    const auto* old_list = array_at(before, path);
    if (!old_list) return;
    std::map<std::string_view, const json::value*> now;
    if (const auto* new_list = array_at(after, path))
        for (const auto& container : *new_list) now.emplace(text_at(container, "name"), &container);
    for (const auto& container : *old_list) {
        const auto same = now.find(text_at(container, "name"));
        if (same != now.end() && *same->second == container) continue;
        const std::string_view what = same == now.end() ? "removed" : "changed";
        causes.push_back(errors::forbidden_field(std::string(path), "existing ephemeral containers " +
                                                                        quote(text_at(container, "name")) +
                                                                        " may not be " + std::string(what) + "\n"));
    }
}

void validate_update(const resource_info& info, const json::value& before, const json::value& after,
                     std::vector<status_cause>& causes)
{
    const auto same = [&](std::string_view path) {
        const auto* a = find_at(before, path);
        const auto* b = find_at(after, path);
        return a && b ? *a == *b : a == b;
    };
    if (info.behaves == builtin::secret && !same("type"))
        causes.push_back(invalid_value("type", quote(text_at(after, "type")), "field is immutable"));
    if (info.behaves == builtin::config_map || info.behaves == builtin::secret) {
        const auto* immutable = find_at(before, "immutable");
        if (immutable && immutable->is_bool() && immutable->get_bool())
            for (const std::string_view path : {"immutable", "data", "binaryData"})
                if (!same(path))
                    causes.push_back(
                        errors::forbidden_field(std::string(path), "field is immutable when `immutable` is set"));
    }
    const auto* selector = find_at(after, "spec.selector");
    if (selects_pods(info.behaves) && info.behaves != builtin::stateful_set && !same("spec.selector"))
        causes.push_back(invalid_value("spec.selector", selector ? to_text(*selector) : "null", "field is immutable"));
    if (info.behaves == builtin::custom_resource_definition) validate_crd_update(before, after, causes);
    if (info.behaves == builtin::service) validate_service_update(before, after, causes);
    if (info.behaves == builtin::event) validate_event_update(info, before, after, causes);
    if (info.behaves == builtin::role_binding) validate_role_binding_update(before, after, causes);
    validate_spec_update(info, before, after, causes);
    if (find_at(before, "metadata.deletionTimestamp")) {
        // An object that is being deleted cannot get new finalizers.
        std::set<std::string> known;
        if (const auto* old_list = array_at(before, "metadata.finalizers"))
            for (const auto& f : *old_list) known.insert(to_text(f));
        json::array added;
        if (const auto* new_list = array_at(after, "metadata.finalizers"))
            for (const auto& f : *new_list)
                if (!known.contains(to_text(f))) added.push_back(f);
        if (!added.empty())
            causes.push_back(errors::forbidden_field(
                "metadata.finalizers", "no new finalizers can be added if the object is being deleted, found new "
                                       "finalizers []string{" +
                                           to_text(added).substr(1, to_text(added).size() - 2) + "}"));
    }
}

namespace {

/// Checks []byte fields, whose values must be base64.
std::optional<status_error> check_binary(const resource_info& info, std::string_view version, const json::value& body,
                                         std::string_view member)
{
    const auto* data = find_at(body, member);
    if (!data || data->is_null()) return {};
    const std::string field = info.kind + "." + std::string(member);
    if (!data->is_object()) return wrong_type(info.kind, version, *data, field, "map[string][]uint8");
    for (const auto& [key, value] : data->get_object()) {
        if (value.is_null()) continue;
        if (!value.is_string()) return wrong_type(info.kind, version, value, field, "[]uint8");
        if (const auto bad = bad_base64_at(value.get_string()); bad != std::string_view::npos)
            return errors::bad_request(info.kind + " in version \"" + std::string(version) +
                                       "\" cannot be handled as a " + info.kind +
                                       ": illegal base64 data at input byte " + std::to_string(bad));
    }
    return {};
}

/// Compares the whole object with the schema of its kind. One value of the wrong type would spoil every list in protobuf.
std::optional<status_error> check_all_types(const resource_info& info, std::string_view version,
                                            const json::value& body)
{
    return info.custom ? std::nullopt : check_builtin_types(info.api_version(version), info.kind, body);
}

} // namespace

void fill_null_texts(const resource_info& info, json::value& body)
{
    const auto fill = [](json::value* map) {
        if (!map || !map->is_object()) return;
        for (auto& member : map->get_object())
            if (member.value().is_null()) member.value() = "";
    };
    auto* object = body.if_object();
    if (!object) return;
    if (auto* metadata = object->if_contains("metadata"); metadata && metadata->is_object())
        for (const std::string_view map : {"labels", "annotations"}) fill(metadata->get_object().if_contains(map));
    if (info.behaves == builtin::config_map || info.behaves == builtin::secret)
        for (const std::string_view map : {"data", "binaryData", "stringData"}) fill(object->if_contains(map));
}

std::string type_problem(std::string_view api_version, std::string_view kind, const json::value& body)
{
    const auto* schema = detail::builtin_schemas::find(api_version, kind);
    if (!schema || !body.is_object()) return {};
    const auto encoded = detail::protobuf_message(*schema, body.get_object());
    return encoded ? std::string{} : "json: " + encoded.error().message();
}

std::optional<status_error> check_builtin_types(std::string_view api_version, std::string_view kind,
                                                const json::value& body)
{
    const auto problem = type_problem(api_version, kind, body);
    if (problem.empty()) return {};
    const std::string version(api_version.substr(api_version.rfind('/') + 1));
    return errors::bad_request(std::string(kind) + " in version \"" + version + "\" cannot be handled as a " +
                               std::string(kind) + ": " + problem);
}

namespace {

/// Checks the times in the metadata, which custom resources have as well.
std::optional<status_error> check_times(const resource_info& info, std::string_view version, const json::value& body)
{
    const auto check = [&](const json::value* time, std::string_view field) -> std::optional<status_error> {
        if (!time || time->is_null()) return {};
        if (!time->is_string()) return wrong_type(info.kind, version, *time, field, "string");
        const auto problem = detail::go_time_problem(time->get_string());
        if (!problem) return {};
        return errors::bad_request(info.kind + " in version \"" + std::string(version) + "\" cannot be handled as a " +
                                   info.kind + ": " + *problem);
    };
    for (const std::string_view member : {"creationTimestamp", "deletionTimestamp"}) {
        const auto path = std::string("metadata.").append(member);
        if (auto e = check(find_at(body, path), std::string("ObjectMeta.").append(member))) return e;
    }
    const auto* owners = array_at(body, "metadata.managedFields");
    for (std::size_t i = 0; owners && i < owners->size(); ++i)
        if (auto e = check(find_at((*owners)[i], "time"), "ManagedFieldsEntry.managedFields.time")) return e;
    return {};
}

} // namespace

std::optional<status_error> check_types(const resource_info& info, std::string_view version, const json::value& body)
{
    const auto expect = [&](std::string_view path, bool map_of_text) -> std::optional<status_error> {
        const auto* v = find_at(body, path);
        if (!v || v->is_null()) return {};
        const auto dot = path.rfind('.');
        const std::string field =
            dot == std::string_view::npos ? info.kind + "." + std::string(path) : "ObjectMeta." + std::string(path);
        if (!map_of_text && v->is_string()) return {};
        if (!map_of_text) return wrong_type(info.kind, version, *v, field, "string");
        if (!v->is_object()) return wrong_type(info.kind, version, *v, field, "map[string]string");
        for (const auto& [key, value] : v->get_object())
            if (!value.is_string()) return wrong_type(info.kind, version, value, field, "string");
        return {};
    };
    if (const auto* metadata = find_at(body, "metadata"); metadata && !metadata->is_object() && !metadata->is_null())
        return wrong_type(info.kind, version, *metadata, info.kind + ".metadata", "v1.ObjectMeta");
    for (const std::string_view path :
         {"metadata.name", "metadata.generateName", "metadata.namespace", "metadata.uid", "metadata.resourceVersion"})
        if (auto e = expect(path, false)) return e;
    for (const std::string_view path : {"metadata.labels", "metadata.annotations"})
        if (auto e = expect(path, true)) return e;
    for (const std::string_view path : {"metadata.finalizers", "metadata.ownerReferences"})
        if (const auto* v = find_at(body, path); v && !v->is_null() && !v->is_array())
            return wrong_type(info.kind, version, *v, "ObjectMeta." + std::string(path),
                              path.ends_with("finalizers") ? "[]string" : "[]v1.OwnerReference");
    if (info.behaves == builtin::config_map)
        if (auto e = expect("data", true)) return e;
    if (info.behaves == builtin::config_map)
        if (auto e = check_binary(info, version, body, "binaryData")) return e;
    if (info.behaves == builtin::secret)
        if (auto e = check_binary(info, version, body, "data")) return e;
    if (info.behaves == builtin::custom_resource_definition)
        if (auto e = check_crd_types(body)) return e;
    if (auto e = check_times(info, version, body)) return *e;
    for (const std::string_view path : {"spec", "status"})
        if (const auto* v = find_at(body, path); !info.custom && v && !v->is_null() && !v->is_object())
            return wrong_type(info.kind, version, *v, info.kind + "." + std::string(path), "v1." + info.kind + "Spec");
    return check_all_types(info, version, body);
}

namespace {

void append_unknown_of_owners(const json::value& body, std::vector<std::string>& unknown)
{
    const auto* owners = array_at(body, "metadata.ownerReferences");
    for (std::size_t i = 0; owners && i < owners->size(); ++i) {
        const auto* owner = (*owners)[i].if_object();
        if (!owner) continue;
        for (const auto& member : *owner) {
            const std::string_view key = member.key();
            const bool known = key == "apiVersion" || key == "kind" || key == "name" || key == "uid" ||
                               key == "controller" || key == "blockOwnerDeletion";
            if (!known) unknown.push_back("metadata.ownerReferences[" + std::to_string(i) + "]." + std::string(key));
        }
    }
}

} // namespace

std::vector<std::string> unknown_fields(const resource_info& info, std::string_view version, const json::value& body)
{
    const auto is_known = [](std::string_view key) {
        return key == "selfLink" ||
               std::find(metadata_members.begin(), metadata_members.end(), key) != metadata_members.end();
    };
    const auto* kind = info.custom ? nullptr : detail::builtin_schemas::find(info.api_version(version), info.kind);
    if (kind) return detail::unknown_builtin_fields(*kind, body);
    std::vector<std::string> unknown;
    if (const auto* metadata = object_at(body, "metadata"))
        for (const auto& member : *metadata)
            if (!is_known(member.key())) unknown.push_back("metadata." + std::string(member.key()));
    append_unknown_of_owners(body, unknown);
    if (const auto* served = info.find_version(version); served && served->compiled) {
        auto more = served->compiled->unknown_fields(body);
        unknown.insert(unknown.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    }
    if (info.custom || !body.is_object()) return unknown;
    for (const auto& member : body.get_object()) {
        const std::string_view key = member.key();
        if (key == "kind" || key == "apiVersion" || key == "metadata") continue;
        if (std::find(info.members.begin(), info.members.end(), key) == info.members.end()) unknown.emplace_back(key);
    }
    return unknown;
}

} // namespace kubecoro::apiserver
