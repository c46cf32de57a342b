#include "live/digest.hpp"

#include "objects/conditions.hpp"
#include "text/json_text.hpp"

namespace kubecoro::apiserver::live {
namespace {

phase phase_of(std::string_view text)
{
    if (text == "Running") return phase::running;
    if (text == "Succeeded") return phase::succeeded;
    return text == "Failed" ? phase::failed : phase::pending;
}

} // namespace

const json::value* controller_of(const json::value& body)
{
    if (const auto* owners = array_at(body, "metadata.ownerReferences"))
        for (const auto& owner : *owners)
            if (const auto* flag = find_at(owner, "controller"); flag && flag->is_bool() && flag->get_bool())
                return &owner;
    return nullptr;
}

pod_digest digest_of(const json::value& body)
{
    pod_digest d;
    d.ns = text_at(body, "metadata.namespace");
    d.name = text_at(body, "metadata.name");
    if (const auto* owner = controller_of(body)) d.owner = text_at(*owner, "uid");
    for (const std::string_view label : {"pod-template-hash", "controller-revision-hash"})
        if (const auto text = text_at(body, "metadata.labels." + std::string(label)); !text.empty()) d.revision = text;
    d.node = text_at(body, "spec.nodeName");
    d.created = text_at(body, "metadata.creationTimestamp");
    d.in = phase_of(text_at(body, "status.phase"));
    d.ready = has_condition(body, "Ready");
    d.deleting = find_at(body, "metadata.deletionTimestamp") != nullptr;
    return d;
}

} // namespace kubecoro::apiserver::live
