#include "schema/kind_validation.hpp"

#include "text/json_text.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace kubecoro::apiserver {
namespace {

json::object spec_of(const json::value& body)
{
    const auto* spec = object_at(body, "spec");
    return spec ? *spec : json::object();
}

/// The tolerations in one notation, without their seconds.
std::set<std::string> tolerations_of(const json::object& spec)
{
    std::set<std::string> out;
    const auto* list = spec.if_contains("tolerations");
    if (!list || !list->is_array()) return out;
    for (json::value toleration : list->get_array()) {
        if (toleration.is_object()) toleration.get_object().erase("tolerationSeconds");
        sort_deep(toleration);
        out.insert(to_text(toleration));
    }
    return out;
}

/// Each toleration there was is there still; its seconds alone may be others.
bool only_adds_tolerations(const json::object& before, const json::object& after)
{
    const auto then = tolerations_of(before), now = tolerations_of(after);
    return std::includes(now.begin(), now.end(), then.begin(), then.end());
}

void drop_images(json::object& spec)
{
    for (const std::string_view list : {"containers", "initContainers"}) {
        auto* containers = spec.if_contains(list);
        if (!containers || !containers->is_array()) continue;
        for (auto& c : containers->get_array())
            if (c.is_object()) c.get_object().erase("image");
    }
}

/// The immutable part of a pod's spec.
json::object fixed_part(json::object spec)
{
    drop_images(spec);
    for (const std::string_view free :
         {"activeDeadlineSeconds", "tolerations", "terminationGracePeriodSeconds", "schedulingGates"})
        spec.erase(free);
    return spec;
}

/// A negative one may become 1, and nothing else.
bool may_become(const json::value* before, const json::value* after)
{
    if (before && after ? *before == *after : before == after) return true;
    return before && before->is_int64() && before->get_int64() < 0 && after && *after == json::value(1);
}

bool pod_may_change(const json::object& before, const json::object& after)
{
    constexpr std::string_view grace = "terminationGracePeriodSeconds";
    return fixed_part(before) == fixed_part(after) && only_adds_tolerations(before, after) &&
           may_become(before.if_contains(grace), after.if_contains(grace));
}

bool stateful_set_may_change(json::object before, json::object after)
{
    for (const std::string_view free : {"replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit",
                                        "persistentVolumeClaimRetentionPolicy", "minReadySeconds"}) {
        before.erase(free);
        after.erase(free);
    }
    return before == after;
}

void check_job_update(const json::value& before, const json::value& after, std::vector<status_cause>& causes)
{
    const auto* suspended = find_at(before, "spec.suspend");
    const bool not_begun =
        suspended && suspended->is_bool() && suspended->get_bool() && !find_at(before, "status.startTime");
    for (const std::string_view path : {"spec.selector", "spec.template", "spec.completionMode"}) {
        const auto* then = find_at(before, path);
        const auto* now = find_at(after, path);
        const bool same = then && now ? *then == *now : then == now;
        if (!same && !(not_begun && path == "spec.template"))
            causes.push_back(
                errors::invalid_value(std::string(path), now ? to_text(*now) : "null", "field is immutable"));
    }
}

/// The spec of a claim, without what may change between the two states.
json::object fixed_part_of_claim(const json::value& claim, const json::value& before, const json::value& after)
{
    auto spec = spec_of(claim);
    if (text_at(before, "spec.volumeName").empty()) spec.erase("volumeName"); // It is bound once.
    if (!find_at(before, "spec.storageClassName")) spec.erase("storageClassName");
    if (text_at(after, "status.phase") != "Bound") return spec;
    if (find_at(after, "spec.volumeAttributesClassName")) spec.erase("volumeAttributesClassName");
    if (auto* resources = spec.if_contains("resources"); resources && resources->is_object())
        if (auto* requests = resources->get_object().if_contains("requests"); requests && requests->is_object())
            requests->get_object().erase("storage");
    return spec;
}

void validate_fields(const resource_info& info, const json::value& before, const json::value& after,
                     std::vector<status_cause>& causes)
{
    for (const auto& field : info.immutable) {
        const json::value standard = field.standard.empty() ? json::value(nullptr) : json::value(field.standard);
        const auto* then = find_at(before, field.path);
        const auto* now = find_at(after, field.path);
        if ((then ? *then : standard) == (now ? *now : standard)) continue;
        if (field.why.empty())
            causes.push_back(
                errors::invalid_value(std::string(field.path), now ? to_text(*now) : "null", "field is immutable"));
        else
            causes.push_back(errors::forbidden_field(std::string(field.path), field.why));
    }
}

} // namespace

void validate_spec_update(const resource_info& info, const json::value& before, const json::value& after,
                          std::vector<status_cause>& causes)
{
    validate_fields(info, before, after, causes);
    if (info.behaves == builtin::job) check_job_update(before, after, causes);
    if (info.behaves == builtin::persistent_volume_claim &&
        fixed_part_of_claim(before, before, after) != fixed_part_of_claim(after, before, after))
        causes.push_back(errors::forbidden_field(
            "spec",
            "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound "
            "claims"));
    if (info.behaves == builtin::pod && !pod_may_change(spec_of(before), spec_of(after)))
        causes.push_back(errors::forbidden_field(
            "spec", "pod updates may not change fields other than `spec.containers[*].image`,"
                    "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to "
                    "existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was "
                    "previously negative)"));
    if (info.behaves == builtin::stateful_set && !stateful_set_may_change(spec_of(before), spec_of(after)))
        causes.push_back(errors::forbidden_field(
            "spec", "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "
                    "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and "
                    "'minReadySeconds' are forbidden"));
}

} // namespace kubecoro::apiserver
